#compdef @TOOLS@
# SPDX-License-Identifier: BSD-3-Clause
# Completion for zsh: the options are those of --help, clusters those that come with mpisim.
local before=$words[CURRENT-1]
local -a asked=($words[1])

case $words[1] in
*mpisim-debug) asked=(${words[1]%debug}run) ;; # it has the same options
*mpisim-sweep)
	if (( CURRENT == 2 )); then
		compadd -- --help --version $($words[1] --help 2>/dev/null | sed -n 's/^  \([a-z]*\) SWEEP.*/\1/p')
		return
	fi
	asked+=($words[2]) ;;
esac
if [[ $PREFIX == --*=* ]]; then
	before=${PREFIX%%=*}
	compset -P '*='
fi
case $before in
--cluster) _alternative 'files:file:_files' "clusters:cluster:($(mpisim-run --list-clusters 2>/dev/null | cut -d ' ' -f 1))" ;;
--compute) compadd direct collect partial modelled ;;
--placement) compadd block spread cyclic random ;;
--coll-profile) compadd default openmpi mpich ideal ;;
*)
	if [[ $PREFIX == -* ]]; then
		compadd -- $($asked --help 2>/dev/null | grep -oE -e '(^|[ ,])--[a-z][a-z-]*' | tr -d ' ,' | sort -u)
	else
		_files
	fi ;;
esac
