#compdef @TOOLS@
# SPDX-License-Identifier: BSD-3-Clause
# Completion for zsh: the options are those of --help, clusters those that come with mpisim.
if [[ $words[CURRENT-1] == --cluster ]]; then
	_alternative 'files:file:_files' "clusters:cluster:($(mpisim-run --list-clusters 2>/dev/null | cut -d ' ' -f 1))"
else
	_arguments '*:file:_files' --
fi
