# SPDX-License-Identifier: BSD-3-Clause
# Completion for bash: the options are those of --help, clusters those that come with mpisim.
_mpisim()
{
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} tool=$1 subcommand=

	if [ "$word" = = ]; then
		word=
	elif [ "$before" = = ]; then
		before=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $tool in
	*mpisim-debug) tool=${tool%debug}run ;; # it has the same options
	*mpisim-sweep)
		if [ "$COMP_CWORD" -eq 1 ]; then
			COMPREPLY=($(compgen -W "$("$tool" --help 2>/dev/null | sed -n 's/^  \([a-z]*\) SWEEP.*/\1/p') --help --version" -- "$word"))
			return
		fi
		subcommand=${COMP_WORDS[1]} ;;
	esac
	case $before in
	--cluster)
		COMPREPLY=($(compgen -f -- "$word") $(compgen -W "$(mpisim-run --list-clusters 2>/dev/null | cut -d ' ' -f 1)" -- "$word")) ;;
	--compute) COMPREPLY=($(compgen -W 'direct collect partial modelled' -- "$word")) ;;
	--placement) COMPREPLY=($(compgen -W 'block spread cyclic random' -- "$word")) ;;
	--coll-profile) COMPREPLY=($(compgen -W 'default openmpi mpich ideal' -- "$word")) ;;
	*)
		case $word in
		-*) COMPREPLY=($(compgen -W "$("$tool" $subcommand --help 2>/dev/null | grep -oE -e '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u)" -- "$word")) ;;
		*) COMPREPLY=($(compgen -f -- "$word")) ;;
		esac ;;
	esac
}
complete -o filenames -F _mpisim @TOOLS@
