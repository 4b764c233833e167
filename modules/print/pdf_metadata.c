/* SPDX-License-Identifier: Apache-2.0 */
/* pdf_metadata.c - information dictionary and XMP (ISO 16684-1). */
#include "print/pdf_metadata.h"

#include <apr_strings.h>
#include <string.h>

#include "kernel/time.h"

#define CREATOR "mod_lims " LIMS_VERSION

const char *lims_pdf_string(const char *text, apr_pool_t *pool)
{
    glong units = 0;
    gunichar2 *utf16 = g_utf8_to_utf16(text, -1, NULL, &units, NULL);
    char *string = apr_palloc(pool, (apr_size_t)(units * 4 + 8)), *at = string;

    at += apr_snprintf(at, 6, "<FEFF");
    for (glong i = 0; i < units; i++) {
        at += apr_snprintf(at, 5, "%04X", (unsigned)utf16[i]);
    }
    g_free(utf16);
    memcpy(at, ">", 2);
    return string;
}

/* Returns a time as PDF writes it: "D:20261126140322-07'00'". NULL: there is none. */
static const char *pdf_time(const char *text, apr_pool_t *pool)
{
    const char *zone = text ? text + strcspn(text, "Zz+") : "";
    char *digits;
    int count = 0;

    if (!text || !lims_time_timestamp(text, pool)) {
        return NULL;
    }
    /* A minus stands in the date as well. */
    zone = *zone ? zone : strrchr(text, '-');
    digits = apr_palloc(pool, 15);
    for (const char *at = text; at < zone && count < 14; at++) {
        if (*at >= '0' && *at <= '9') {
            digits[count++] = *at;
        }
    }
    digits[count] = '\0';
    if (strlen(zone) < 6) {
        return apr_pstrcat(pool, "D:", digits, "Z", NULL);
    }
    return apr_psprintf(pool, "D:%s%.3s'%.2s'", digits, zone, zone + 4);
}

const char *lims_pdf_info(unsigned number, const lims_pdf_facts_t *facts, apr_pool_t *pool)
{
    const char *made = pdf_time(facts->made_at, pool);

    return apr_psprintf(
        pool,
        "%u 0 obj\n<< /Title %s\n%s%s%s   /Creator (" CREATOR
        ")\n   /Producer %s\n%s%s%s%s%s>>\nendobj\n",
        number, lims_pdf_string(facts->title, pool), facts->author ? "   /Author " : "",
        facts->author ? lims_pdf_string(facts->author, pool) : "", facts->author ? "\n" : "",
        lims_pdf_string(facts->producer, pool), made ? "   /CreationDate (" : "", made ? made : "",
        made ? ")\n   /ModDate (" : "", made ? made : "", made ? ")\n" : "");
}

static const char *escaped(const char *text, apr_pool_t *pool)
{
    char *markup = g_markup_escape_text(text, -1);
    const char *copy = apr_pstrdup(pool, markup);

    g_free(markup);
    return copy;
}

static const char *dates(const lims_pdf_facts_t *facts, apr_pool_t *pool)
{
    if (!pdf_time(facts->made_at, pool)) {
        return "";
    }
    return apr_pstrcat(pool, "   <xmp:CreateDate>", facts->made_at,
                       "</xmp:CreateDate>\n"
                       "   <xmp:ModifyDate>",
                       facts->made_at, "</xmp:ModifyDate>\n", NULL);
}

static const char *author(const lims_pdf_facts_t *facts, apr_pool_t *pool)
{
    if (!facts->author) {
        return "";
    }
    return apr_pstrcat(pool, "   <dc:creator><rdf:Seq><rdf:li>", escaped(facts->author, pool),
                       "</rdf:li></rdf:Seq></dc:creator>\n", NULL);
}

const char *lims_pdf_xmp(const lims_pdf_facts_t *facts, apr_pool_t *pool)
{
    return apr_pstrcat(pool,
                       "<?xpacket begin=\"\xEF\xBB\xBF\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
                       "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
                       " <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
                       "  <rdf:Description rdf:about=\"\"\n"
                       "    xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\n"
                       "    xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\"\n"
                       "    xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\"\n"
                       "    xmlns:pdfaid=\"http://www.aiim.org/pdfa/ns/id/\">\n"
                       "   <pdfaid:part>2</pdfaid:part>\n"
                       "   <pdfaid:conformance>B</pdfaid:conformance>\n"
                       "   <dc:format>application/pdf</dc:format>\n"
                       "   <dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">",
                       escaped(facts->title, pool), "</rdf:li></rdf:Alt></dc:title>\n",
                       author(facts, pool), "   <xmp:CreatorTool>" CREATOR "</xmp:CreatorTool>\n",
                       dates(facts, pool), "   <pdf:Producer>", escaped(facts->producer, pool),
                       "</pdf:Producer>\n"
                       "  </rdf:Description>\n"
                       " </rdf:RDF>\n"
                       "</x:xmpmeta>\n"
                       "<?xpacket end=\"r\"?>",
                       NULL);
}
