// SPDX-License-Identifier: BSD-3-Clause
#include <stdlib.h>
#include <string.h>

#include "traces/report_parts.h"

static const struct picture {
	const char *name, *title, *text;
} pictures[] = {
    {"breakdown", "Where the time went",
     "One bar per rank, as high as the run is long. Only the dark blue part is useful "
     "computation: it is what the same computation takes on an otherwise idle "
     "core. Orange is time in MPI calls while messages of that call were on their way; grey is "
     "time in MPI calls while none was: the rank waited for "
     "others. Bars of different blue mean unequal work. Table: breakdown.csv (ranks.csv has "
     "every rank)."},
    {"timeline", "What each rank did when",
     "Time runs to the right, one row per rank. Within a call, waiting is drawn before "
     "communicating. Bars above the ranks are the phases that the program "
     "marks. Tables: timeline.csv, timeline-raster.csv."},
    {"efficiency", "Dynamic efficiency over time",
     "Of all the cores that the program holds, the share that does useful computation, window "
     "by window. Nodes that were released do not count any more. Low "
     "stretches are where to look in the timeline. Table: efficiency.csv."},
    {"factors", "Efficiencies that multiply, over time",
     "Parallel efficiency = load balance × serialization × transfer, each in its window of time: "
     "how evenly the ranks compute in it, what it costs that they depend on each other, and what "
     "the network costs. Table: factors.csv."},
    {"bandwidth", "What another bandwidth of the network would give",
     "Predicted running times with an eighth to sixteen times the bandwidth. Above the dashed line "
     "more bandwidth saves less than 5 %. Table: bandwidth.csv."},
    {"phases", "Dynamic efficiency of each phase",
     "The same for the phases that the program marks, from their first begin to their last end "
     "over the ranks. Table: phases.csv."},
    {"messages", "Who sent how much to whom",
     "A dot for each pair of ranks, the darker the more bytes; messages of collective "
     "operations are included. Tables: messages.csv, messages-matrix.csv."},
};

static void write_escaped(const char *text, FILE *file)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", file);
		else if (*text == '>')
			fputs("&gt;", file);
		else if (*text == '&')
			fputs("&amp;", file);
		else
			fputc(*text, file);
	}
}

static void write_summary(const struct trace_report *report, FILE *file)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return;
	trace_text_write(report->run, memory);
	fclose(memory);
	fputs("<pre>", file);
	if (report->run->early_end) {
		write_escaped(report->run->early_end, file);
		fputc('\n', file);
	}
	write_escaped(text, file);
	fputs("</pre>\n", file);
	free(text);
}

void trace_report_html(const struct trace_report *report, FILE *file)
{
	char script[64];

	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>mpisim: ",
	      file);
	write_escaped(report->run->command[0], file);
	fputs("</title>\n<style>body{font-family:sans-serif;max-width:1240px;margin:1em "
	      "auto;padding:0 1em}"
	      "img{max-width:100%}pre{background:#f4f4f4;padding:1em;overflow:auto}</style></"
	      "head><body>\n<h1>Prediction for",
	      file);
	for (char *const *word = report->run->command; *word; word++) {
		fputc(' ', file);
		write_escaped(*word, file);
	}
	fputs("</h1>\n", file);
	write_summary(report, file);
	for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
		const struct picture *p = &pictures[i];

		snprintf(script, sizeof script, "%s.gp", p->name);
		if (trace_report_has(report, script))
			fprintf(file,
				"<h2>%s</h2>\n<p>%s</p>\n<p><img src=\"%s.svg\" alt=\"%s\"></p>\n",
				p->title, p->text, p->name, p->title);
	}
	fputs("</body></html>\n", file);
}
