// SPDX-License-Identifier: BSD-3-Clause
/* mpisim-whatif --async --html: the pages of the replays, whole, in one. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/outfile.h"
#include "tools/whatif/async.h"

struct content {
	const struct mtrace_file *file;
	const struct async_prediction *as_is, *predictions;
	int n;
};

int async_page_begin(struct async_prediction *p, struct util_error *err)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	folder = folder && *folder ? folder : "/tmp";
	if (asprintf(&p->page, "%s/mpisim-page-XXXXXX", folder) < 0) {
		p->page = NULL;
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	fd = mkstemp(p->page);
	if (fd < 0) {
		free(p->page);
		p->page = NULL;
		return util_error_set(err, UTIL_ESYSTEM, "cannot make a file in %s", folder);
	}
	close(fd);
	p->base.html = p->page;
	return 0;
}

void async_page_finish(struct async_prediction *p)
{
	if (p->page)
		unlink(p->page);
	free(p->page);
	p->page = NULL;
}

static void put_escaped(int c, FILE *out)
{
	if (c == '&')
		fputs("&amp;", out);
	else if (c == '<')
		fputs("&lt;", out);
	else if (c == '"')
		fputs("&quot;", out);
	else
		fputc(c, out);
}

static void put_text(const char *text, FILE *out)
{
	for (; *text; text++)
		put_escaped((unsigned char)*text, out);
}

static int put_page(const char *name, const struct async_prediction *p, FILE *out,
		    struct util_error *err)
{
	FILE *page;
	int c;

	if (p->error)
		return 0;
	page = fopen(p->page, "r");
	if (!page)
		return util_error_set(err, UTIL_ESYSTEM, "cannot read '%s'", p->page);
	fprintf(out,
		"<section><h2>%s</h2><iframe title=\"%s\" onload=\"show_timeline(this)\" "
		"srcdoc=\"",
		name, name);
	while ((c = fgetc(page)) != EOF)
		put_escaped(c, out);
	fputs("\"></iframe></section>\n", out);
	fclose(page);
	return 0;
}

static int put_report(const struct content *content, FILE *out, struct util_error *err)
{
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	async_report_text(content->file, content->as_is, content->predictions, content->n, memory);
	fclose(memory);
	fputs("<pre>", out);
	put_text(text, out);
	fputs("</pre>\n", out);
	free(text);
	return 0;
}

static int write_content(const void *context, FILE *out, struct util_error *err)
{
	static const char before[] =
	    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	    "<title>mpisim-whatif --async</title>\n<style>body { font-family: sans-serif; margin: "
	    "1em; }"
	    " pre { overflow-x: auto; } main { display: flex; gap: 1em; overflow-x: auto; }"
	    " section { flex: 1 0 30em; } iframe { width: 100%; height: 85vh; border: 1px solid "
	    "#888; }"
	    "</style><script>\nfunction show_timeline(frame) {\n"
	    "  const place = frame.contentDocument.getElementById('timeline');\n"
	    "  if (place) frame.contentWindow.scrollTo(0, place.offsetTop);\n}\n"
	    "</script></head><body>\n";
	const struct content *content = context;
	int failed;

	fputs(before, out);
	failed = put_report(content, out, err);
	fputs("<main>\n", out);
	if (!failed)
		failed = put_page("as it is", content->as_is, out, err);
	for (int i = 0; i < content->n && !failed; i++)
		failed = put_page(async_mode_names[content->predictions[i].setup.mode],
				  &content->predictions[i], out, err);
	fputs("</main></body></html>\n", out);
	return failed;
}

int async_page_write(const char *path, const struct mtrace_file *file,
		     const struct async_prediction *as_is,
		     const struct async_prediction *predictions, int n, struct util_error *err)
{
	const struct content content = {file, as_is, predictions, n};

	return util_outfile_write(path, write_content, &content, err);
}
