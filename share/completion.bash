# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: the options are those of --help, clusters those that come with mpisim.
_mpisim()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} tool=$1

	if [ "$word" = = ]; then
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $before in
	--cluster)
		COMPREPLY=($(compgen -f -- "$word") $(compgen -W "$(mpisim-run --list-clusters 2>/dev/null | cut -d ' ' -f 1)" -- "$word")) ;;
	--compute) COMPREPLY=($(compgen -W 'direct collect partial modelled' -- "$word")) ;;
	--placement) COMPREPLY=($(compgen -W 'block spread cyclic random' -- "$word")) ;;
	--coll-profile) COMPREPLY=($(compgen -W 'default openmpi mpich ideal' -- "$word")) ;;
	*)
		case $word in
		-*) COMPREPLY=($(compgen -W "$("$tool" --help 2>/dev/null | grep -oE -e '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u)" -- "$word")) ;;
		*) COMPREPLY=($(compgen -f -- "$word")) ;;
		esac ;;
	esac
}
complete -o filenames -F _mpisim @TOOLS@
