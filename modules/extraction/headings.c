/* SPDX-License-Identifier: Apache-2.0 */
/* headings.c - classification of the names of columns, fields and members. */
#include "extraction/headings.h"

#include <apr_lib.h>
#include <string.h>

#include "profiles/fold.h"

/* Folded words of headers whose column or neighbour is personal data or a location. */
static const char *const personal_words[] = {
    /* persons who measured or ordered */
    "operator",
    "analyst",
    "analysed by",
    "analyzed by",
    "user",
    "username",
    "user name",
    "login",
    "technician",
    "performed by",
    "measured by",
    "created by",
    "modified by",
    "reviewed by",
    "approved by",
    "author",
    "customer",
    "client",
    "submitter",
    "bediener",
    "benutzer",
    "anwender",
    "bearbeiter",
    "pr\303\274fer",
    "analytiker",
    "kunde",
    "op\303\251rateur",
    "utilisateur",
    "analyste",
    "operador",
    "usuario",
    "analista",
    "operatore",
    "utente",
    "usu\303\241rio",
    "operat\303\266r",
    /* patients */
    "patient",
    "patient id",
    "patient name",
    "patientenname",
    "name of patient",
    "paciente",
    "paziente",
    "physician",
    "doctor",
    "arzt",
    "m\303\251decin",
    "m\303\251dico",
    "medico",
    "birth",
    "birthdate",
    "birth date",
    "date of birth",
    "dob",
    "geburtsdatum",
    "sex",
    "gender",
    "geschlecht",
    "mrn",
    "ssn",
    "address",
    "adresse",
    "phone",
    "telefon",
    "e-mail",
    "email",
    "ward",
    "room",
    "first name",
    "last name",
    "surname",
    "vorname",
    "nachname",
    /* locations */
    "path",
    "file path",
    "filename",
    "file name",
    "file",
    "folder",
    "directory",
    "pfad",
    "datei",
    "dateiname",
    "data file",
    "data path",
    "method path",
    "computer",
    "host",
    "ip",
    /* free text */
    "remark",
    "remarks",
    "comment",
    "comments",
    "note",
    "notes",
    "bemerkung",
    "bemerkungen",
    "kommentar",
    "anmerkung",
    "remarque",
    "remarques",
    "commentaire",
    "observaciones",
    "comentario",
    "osservazioni",
    "observa\303\247\303\265es",
    "anm\303\244rkning",
};

/* Folded words of other columns of result tables, which are no person's name. */
static const char *const columns_of_tables[] = {
    "sample",
    "sample id",
    "sample name",
    "sample no",
    "id",
    "barcode",
    "position",
    "vial",
    "well",
    "test",
    "test code",
    "analyte",
    "parameter",
    "component",
    "compound",
    "element",
    "assay",
    "result",
    "results",
    "value",
    "reading",
    "concentration",
    "conc",
    "conc.",
    "amount",
    "area",
    "unit",
    "units",
    "dilution",
    "factor",
    "qualifier",
    "flag",
    "status",
    "type",
    "method",
    "matrix",
    "date",
    "time",
    "date/time",
    "run",
    "replicate",
    "mean",
    "sd",
    "rsd",
    /* German, French, Spanish, Italian, Portuguese, Swedish */
    "probe",
    "proben-id",
    "probenname",
    "messwert",
    "wert",
    "ergebnis",
    "einheit",
    "datum",
    "zeit",
    "uhrzeit",
    "verd\303\274nnung",
    "konzentration",
    "methode",
    "\303\251chantillon",
    "r\303\251sultat",
    "valeur",
    "unit\303\251",
    "heure",
    "m\303\251thode",
    "muestra",
    "resultado",
    "valor",
    "unidad",
    "fecha",
    "hora",
    "campione",
    "risultato",
    "valore",
    "unit\303\240",
    "data",
    "ora",
    "amostra",
    "unidade",
    "prov",
    "resultat",
    "v\303\244rde",
    "enhet",
    "tid",
};

/* Longest name of a column or member. */
#define LONGEST_NAME 100

static bool is_listed(const char *text, apr_size_t length, apr_pool_t *pool)
{
    const char *folded = lims_fold(text, length, pool);
    apr_size_t size = strlen(folded);

    while (size > 0 && (folded[size - 1] == ':' || folded[size - 1] == ' ')) {
        size--;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(personal_words); i++) {
        apr_size_t word = strlen(personal_words[i]);

        if (size == word && memcmp(folded, personal_words[i], word) == 0) {
            return true;
        }
        /* Matches names that continue, too: "Patient ID (external)", "Operator name". */
        if (size > word && memcmp(folded, personal_words[i], word) == 0 && word >= 7 &&
            strchr(" (_/-", folded[word])) {
            return true;
        }
    }
    return false;
}

/* Separates the words of a name in camel case, as in XML and JSON: "patientName". */
static const char *split_camel_case(const char *text, apr_size_t length, apr_pool_t *pool)
{
    char *words = apr_palloc(pool, 2 * length + 1), *to = words;

    for (apr_size_t i = 0; i < length; i++) {
        if (i > 0 && apr_isupper(text[i]) && apr_islower(text[i - 1])) {
            *to++ = ' ';
        }
        *to++ = text[i];
    }
    *to = '\0';
    return words;
}

bool lims_heading_tells(const char *text, apr_size_t length, apr_pool_t *pool)
{
    const char *words;

    if (is_listed(text, length, pool)) {
        return true;
    }
    if (length > LONGEST_NAME) {
        return false;
    }
    words = split_camel_case(text, length, pool);
    return strlen(words) > length && is_listed(words, strlen(words), pool);
}

bool lims_heading_is_of_table(const char *folded)
{
    for (apr_size_t i = 0; i < LIMS_LENGTH(columns_of_tables); i++) {
        if (strcmp(folded, columns_of_tables[i]) == 0) {
            return true;
        }
    }
    return false;
}
