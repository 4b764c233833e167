/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lims.h - the vocabulary of mod_lims.
 *
 * A *resource* is a noun of the laboratory (sample, sample test, client). It
 * is described by one table of *fields* and one of *routes*. Those two tables
 * are read by everything that has to agree about the resource: the router,
 * `Allow`, scopes, validation, the binding of SQL parameters, the writer of
 * JSON records, discovery, the OpenAPI document, the command line and the
 * tests. A field's name is the same word in all of them: the JSON member, the
 * SQL parameter `:name`, the result column and the documented property.
 *
 * A *statement* is a named piece of SQL from a `.sql` file beside the C file
 * of its noun; build/statements.awk compiles them into the enum lims_stmt_e and
 * the table lims_statements[].
 *
 * A *request* is what a caller asks, whichever way it came: HTTP or limsctl.
 * Nothing here knows httpd or libpq.
 *
 * Conventions, once for all headers:
 *   - exported names begin with lims_, statics have no prefix;
 *   - out-parameters first, then the object, then inputs, the pool last;
 *   - what a function returns lives in the pool it was given;
 *   - a function that can refuse returns `const lims_error_t *`, NULL being
 *     success; plumbing that can only break returns apr_status_t;
 *   - text is UTF-8 and NUL-terminated, without NUL inside; identifiers
 *     travel as decimal text between JSON and SQL.
 */
#ifndef LIMS_H
#define LIMS_H

#include <apr_file_io.h>
#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_time.h>
#include <stdbool.h>

#include "statements.h" /* generated: lims_stmt_e, LIMS_STMT_NONE being 0; lims_context_e */

#define LIMS_VERSION "1.0.0"
#define LIMS_API_NAME "Laboratory Sample Management Service"
#define LIMS_API_VERSION "v1"
#define LIMS_API_PREFIX "/api/" LIMS_API_VERSION
#define LIMS_APPLICATION_PREFIX "/app/api"
#define LIMS_SIGN_ON_PREFIX "/app/sign-on"
#define LIMS_SIGN_ON_PATH "/identity" /* below it, and of its routes */

/* Number of elements of an array (not of a pointer). */
#define LIMS_LENGTH(array) (sizeof(array) / sizeof((array)[0]))

typedef struct lims_error_t lims_error_t;
typedef struct lims_field_t lims_field_t;
typedef struct lims_route_t lims_route_t;
typedef struct lims_resource_t lims_resource_t;
typedef struct lims_request_t lims_request_t;
typedef struct lims_values_t lims_values_t;
typedef struct lims_connection_t lims_connection_t;
typedef struct lims_result_t lims_result_t;
typedef struct lims_keyring_t lims_keyring_t;   /* keys that seal secrets: kernel/seal.h */
typedef struct lims_model_t lims_model_t;       /* finds results: extraction/client.h */
typedef struct lims_printer_t lims_printer_t;   /* makes PDFs: documents/printer.h */
typedef struct lims_printer_process_t lims_printer_process_t;
typedef struct lims_document_key_t lims_document_key_t; /* documents/document_key.h */
typedef struct lims_settings_t lims_settings_t; /* of a surface: service/service.h */
typedef struct lims_exchange_t lims_exchange_t; /* a request over HTTP: service/service.h */

/* --- Errors -------------------------------------------------------------- */

/* The kinds of errors that a caller can receive, in the order of the contract. The
 * table lims_error_kinds[] in kernel/error.c gives slug, status and meaning. */
typedef enum {
    LIMS_E_INVALID_BODY,
    LIMS_E_INVALID_QUERY,
    LIMS_E_INVALID_REFERENCE,
    LIMS_E_INVALID_ID,
    LIMS_E_FIELD_NOT_PATCHABLE,
    LIMS_E_NO_UPDATABLE_FIELDS,
    LIMS_E_BAD_REQUEST,
    LIMS_E_UNAUTHORIZED,
    LIMS_E_SESSION_CHANGED,
    LIMS_E_TLS_REQUIRED,
    LIMS_E_CROSS_SITE_REQUEST,
    LIMS_E_FORBIDDEN,
    LIMS_E_UPLOAD_ONLY_KEY,
    LIMS_E_SCOPE_REQUIRED,
    LIMS_E_AI_DATA_ACCESS_DISABLED,
    LIMS_E_ESIGNATURE_REQUIRED,
    LIMS_E_PERMISSION_REQUIRED,
    LIMS_E_SIGNATURE_INVALID,
    LIMS_E_ACCOUNT_LOCKED,
    LIMS_E_SAMPLE_LIMIT_EXCEEDED,
    LIMS_E_FILE_STORAGE_EXCEEDED,
    LIMS_E_NOT_FOUND,
    LIMS_E_METHOD_NOT_ALLOWED,
    LIMS_E_REQUEST_TIMEOUT,
    LIMS_E_INCOMPLETE_SAMPLE,
    LIMS_E_QC_FAILED,
    LIMS_E_APPROVAL_REQUIRED,
    LIMS_E_CONFIRMATION_REQUIRED,
    LIMS_E_MEDIA_QC_FAILED,
    LIMS_E_WORKSHEET_INCOMPLETE,
    LIMS_E_BLANK_RESULT,
    LIMS_E_REAGENT_LOT_EXPIRED,
    LIMS_E_TEST_VERIFIED_LOCKED,
    LIMS_E_NOT_RECEIVABLE,
    LIMS_E_INVALID_TRANSITION,
    LIMS_E_ALREADY_DECIDED,
    LIMS_E_SELF_VERIFICATION,
    LIMS_E_SELF_APPROVAL,
    LIMS_E_POLICY_UNSATISFIABLE,
    LIMS_E_LAST_ADMINISTRATOR,
    LIMS_E_OWN_ROLES,
    LIMS_E_REASON_REQUIRED,
    LIMS_E_AMENDMENT_DIFFERS,
    LIMS_E_QC_PENDING,
    LIMS_E_INVESTIGATION_OPEN,
    LIMS_E_SAMPLE_ON_HOLD,
    LIMS_E_LOT_NOT_RELEASED,
    LIMS_E_RETEST_UNDECIDED,
    LIMS_E_DOCUMENT_PENDING,
    LIMS_E_DOCUMENT_FAILED,
    LIMS_E_IDEMPOTENCY_IN_PROGRESS,
    LIMS_E_PRECONDITION_FAILED,
    LIMS_E_PAYLOAD_TOO_LARGE,
    LIMS_E_UNSUPPORTED_MEDIA_TYPE,
    LIMS_E_IDEMPOTENCY_MISMATCH,
    LIMS_E_PRECONDITION_REQUIRED,
    LIMS_E_RATE_LIMITED,
    LIMS_E_INTERNAL,
    LIMS_E_AI_UNAVAILABLE,
    LIMS_E_SERVICE_UNAVAILABLE,
    LIMS_E_COUNT
} lims_error_e;

/* Whether a request may be repeated after an error. */
typedef enum {
    LIMS_RETRY_NO,
    LIMS_RETRY_ROLLED_BACK, /* nothing was done (deadlock, changed plan) */
    LIMS_RETRY_LOST         /* the connection died: a read may be repeated */
} lims_retry_e;

/* Causes of failures that the program handles differently. (The number of the log line
 * is for people: the program decides nothing by it.) */
typedef enum {
    LIMS_FAILURE_OTHER,
    LIMS_FAILURE_TIMEOUT,     /* the statement, or its wait for a lock, took too long */
    LIMS_FAILURE_SCHEMA,      /* the database's schema does not fit this program */
    LIMS_FAILURE_RESTORED,    /* the database is a restored copy, still to be migrated */
    LIMS_FAILURE_SESSION,     /* nobody is signed in to the application */
    LIMS_FAILURE_SIGN_IN,     /* nor was by this request */
    LIMS_FAILURE_UNREACHABLE, /* the database is out of reach, or did not answer in time */
    LIMS_FAILURE_LOCKED,      /* this wrong password locked the account */
    LIMS_FAILURE_COUNT
} lims_failure_e;

struct lims_error_t {
    lims_error_e kind;
    lims_retry_e retry;
    lims_failure_e failure;
    const char *message; /* for the caller: names the field or record */
    const char *members; /* further JSON members ("\"blockers\":[…]") or NULL */
    const char *cause;   /* for the log only: what the system said, or NULL */
    int number;          /* LIMSnnnn of the log line, 0: not worth one */
};

/* --- Fields -------------------------------------------------------------- */

typedef enum {
    LIMS_T_ID,      /* 1 … 2^63-1, a JSON integer */
    LIMS_T_INTEGER, /* a JSON integer within min … max */
    LIMS_T_DECIMAL, /* a JSON number, its text untouched */
    LIMS_T_BOOLEAN,
    LIMS_T_STRING,      /* min … max characters (code points) */
    LIMS_T_ENUM,        /* a string out of .values */
    LIMS_T_DATE,        /* YYYY-MM-DD */
    LIMS_T_TIMESTAMP,   /* in: ISO 8601 with zone; out: UTC, milliseconds */
    LIMS_T_MOMENT,      /* query only: a date or a timestamp */
    LIMS_T_MOMENT_END,  /* the same, a date standing for its whole day */
    LIMS_T_ID_LIST,     /* array of ids, min … max of them, no duplicates */
    LIMS_T_STRING_LIST, /* array of strings, likewise */
    LIMS_T_OBJECT,      /* one object of .members */
    LIMS_T_OBJECT_LIST, /* array of objects of .members, min … max of them */
    LIMS_T_JSON,        /* out only: JSON made by the database, passed through */
    LIMS_T_FILE,        /* of a form only: a file, into rq->file */
    LIMS_T_COUNT
} lims_type_e;

/* Flags of a field: where it appears. A body takes the fields that carry the route's
 * .body flag; a record shows those with LIMS_F_OUT. */
enum {
    LIMS_F_OUT = 1 << 0,       /* in every record of the resource */
    LIMS_F_CREATE = 1 << 1,    /* in the body that creates one */
    LIMS_F_UPDATE = 1 << 2,    /* in the body that changes one */
    LIMS_F_REQUIRED = 1 << 3,  /* must be in the body (of a creation) */
    LIMS_F_NULLABLE = 1 << 4,  /* null is a value: in bodies it clears */
    LIMS_F_SECRET = 1 << 5,    /* never logged, never listed */
    LIMS_F_CLAMP = 1 << 8,     /* query: more than max is taken as max */
    LIMS_F_PEOPLE = 1 << 20,   /* not on the REST API: a parameter is unknown there */
    LIMS_F_UNIQUE = 1 << 6,    /* list: the member .unique of each object differs */
    LIMS_F_FILE = 1 << 7,      /* command line: @FILE is the text of a file */
    LIMS_F_CLOSED = 1 << 10,   /* enumeration: the contract lets no value be added */
    LIMS_F_WORDS = 1 << 11,    /* string: something else than blanks */
    LIMS_F_TOOL = 1 << 12,     /* set at the command line alone, never by a body: a
                                 laboratory does not raise its own allowance */
    LIMS_F_ROWS = 1 << 13,     /* list of objects: each is the creation of a record (the
                                 members with LIMS_F_CREATE), and mistakes in them are
                                 kept beside their rows (kernel/field.h), not refused */
    LIMS_F_DIGEST = 1 << 14,   /* of a record: entity tag of its members without
                                 LIMS_F_UNTAGGED; no column has it */
    LIMS_F_UNTAGGED = 1 << 15, /* not in the record's LIMS_F_DIGEST: changed by time alone,
                                 a name, or the record's identity */
    LIMS_F_INNER = 1 << 18,    /* of an input: an id that the path has behind :id, as in
                                /investigations/:id/actions/:actionId; no member of the body */
    LIMS_F_PLACES = 1 << 16,   /* list: of what stands at each place: an element may be null,
                                and several the same */
    LIMS_F_INCLUDED = 1 << 19, /* of a record, without LIMS_F_OUT: where its row has a value,
                                  which the parameter include asks for */
    LIMS_F_OPTIONAL = 1 << 21, /* of an answer, with LIMS_F_OUT: the member may be absent */
    LIMS_F_PATH = 1 << 17,     /* command line: the name of a file, whose text it is */
    LIMS_F_FILE64 = 1 << 9     /* command line: @FILE is the bytes of a file, in base64 */
};

struct lims_field_t {
    const char *name;
    lims_type_e type;
    unsigned flags;
    apr_int64_t min;                  /* length, count or value, by type */
    apr_int64_t max;                  /* 0: the type's own bound (LIMS_TEXT_MAX for strings) */
    const char *const *values;        /* LIMS_T_ENUM: NULL-terminated */
    const char *const *people_values; /* LIMS_T_ENUM of a query: where people ask; NULL: .values */
    const lims_field_t *members;      /* LIMS_T_OBJECT(_LIST), LIMS_T_JSON: shape */
    const char *unique;               /* LIMS_T_OBJECT_LIST: member without repeats */
    const char *pattern;              /* LIMS_T_STRING: an anchored ERE, or NULL */
    const char *fallback;             /* value when absent from a creation, or NULL */
    const char *include;              /* with LIMS_F_INCLUDED: the value of that parameter */
    const char *doc;
    const char *example;
    const char *hint; /* how else, where it is refused, or NULL */
};

/* clang-format off */
#define LIMS_FIELD_END { .name = NULL }

/* Orders of a list: from the oldest record on, or from the newest (kernel/query.c). */
extern const char *const lims_list_orders[];

/* The query parameters that every list takes. */
#define LIMS_PAGING_FIELDS                                                           \
    LIMS_CURSOR_FIELDS,                                                              \
    { .name = "order",                                                               \
      .type = LIMS_T_ENUM,                                                           \
      .values = lims_list_orders,                                                    \
      .fallback = "id",                                                              \
      .doc = "Order of the list: id, from the oldest record on, or -id, from the newest on. "  \
             "With -id the cursor is the id before which to read, and 0 reads from the newest.", \
      .example = "-id" }

/* Number of paging parameters; behind them, the parameters of a list's file are its
 * filters. */
#define LIMS_PAGING_COUNT 3
#define LIMS_CURSOR_COUNT 2

/* Paging parameters of a list that has one order alone. */
#define LIMS_CURSOR_FIELDS                                                           \
    { .name = "limit",                                                               \
      .type = LIMS_T_INTEGER,                                                        \
      .flags = LIMS_F_CLAMP,                                                           \
      .min = 1,                                                                      \
      .max = 500,                                                                    \
      .fallback = "50",                                                              \
      .doc = "Number of records on a page. More than 500 is taken as 500.",                    \
      .example = "50" },                                                             \
    { .name = "cursor",                                                              \
      .type = LIMS_T_INTEGER,                                                        \
      .min = 0,                                                                      \
      .max = APR_INT64_MAX,                                                          \
      .fallback = "0",                                                               \
      .doc = "Cursor to read from: nextCursor of the page before.",                   \
      .example = "0" }

/* The member of a body that says why an act is done. It becomes the request's reason, which
 * the audit trail keeps; at the command line --reason gives it. LIMS_REASON_FIELD is of acts
 * that always ask people for it, LIMS_REASON of the others: their flags and documentation
 * say when. */
#define LIMS_REASON(flags_, ...)                                                     \
    { .name = "reason",                                                              \
      .type = LIMS_T_STRING,                                                         \
      .flags = (flags_) | LIMS_F_WORDS,                                              \
      .min = 1,                                                                      \
      .max = 1000,                                                                   \
      .doc = __VA_ARGS__ }
#define LIMS_REASON_FIELD                                                            \
    LIMS_REASON(LIMS_F_CREATE | LIMS_F_REQUIRED,                                     \
                "Reason for the act, kept in the audit trail.",                      \
                .example = "bottle broken in transit")

/* clang-format on */

/* The body of an action with one member, the reason (kernel/reason_field.c). */
extern const lims_field_t lims_reason_input[];

/* The members that a body of the application may have besides its route's own
 * (service/reserved.h), in the same file. */
enum { LIMS_RESERVED_REASON, LIMS_RESERVED_SIGNATURE, LIMS_RESERVED_COUNT };
extern const lims_field_t lims_reserved_fields[];

/* Longest string where a field states no maximum of its own. */
#define LIMS_TEXT_MAX 255

/* --- Routes -------------------------------------------------------------- */

/* Surfaces: the ways by which a route is reached. lims_route_is_on() of
 * kernel/route.h is what everything asks that concerns one of them. */
typedef enum {
    LIMS_SURFACE_API = 1 << 0,         /* the REST API: API keys */
    LIMS_SURFACE_APPLICATION = 1 << 1, /* the interactive application: people, signed in */
    LIMS_SURFACE_TOOL = 1 << 2         /* limsctl */
} lims_surface_e;

enum {
    LIMS_SURFACES_HTTP = LIMS_SURFACE_API | LIMS_SURFACE_APPLICATION,
    LIMS_SURFACES_PEOPLE = LIMS_SURFACE_APPLICATION | LIMS_SURFACE_TOOL,
    LIMS_SURFACES_ALL = LIMS_SURFACE_API | LIMS_SURFACE_APPLICATION | LIMS_SURFACE_TOOL
};

enum {
    LIMS_R_LIST = 1 << 0,         /* answers a page: { data, nextCursor, hasMore } */
    LIMS_R_UPLOAD_KEY = 1 << 1,   /* an upload-only key may call it */
    LIMS_R_NO_RECORD = 1 << 2,    /* the answer is not one record: no ETag */
    LIMS_R_NO_BODY = 1 << 3,      /* a POST that takes no body, or an empty object */
    LIMS_R_REASON = 1 << 4,       /* asks why: the body has LIMS_REASON_FIELD or one like it,
                                   which becomes rq->reason; --reason at the command line */
    LIMS_R_DOCUMENT = 1 << 5,     /* the answer is a JSON document of no fixed shape: the
                                   statement's column of that name, or a handler's */
    LIMS_R_SIGN = 1 << 6,         /* always signed, see .meaning */
    LIMS_R_OWNER = 1 << 7,        /* command line: done by the owner of the database,
                                   with or without an acting user */
    LIMS_R_KEYRING = 1 << 8,      /* seals or opens secrets: needs the key file */
    LIMS_R_FILE = 1 << 9,         /* the body brings a file: it may be larger */
    LIMS_R_COSTLY = 1 << 10,      /* a tighter rate limit besides the common one */
    LIMS_R_QUEUED = 1 << 11,      /* its work is bound by the processor: it waits in the
                                   admission queue */
    LIMS_R_SIGN_NEXT = 1 << 14,   /* signed only where its resource's .lock finds the record
                                   that leads to it: of a first one no policy asks it */
    LIMS_R_NO_SESSION = 1 << 15,  /* application: nobody has to be signed in */
    LIMS_R_ANY_SESSION = 1 << 16, /* application: the page need not name its session, which it
                                     learns here, or cannot send */
    LIMS_R_PASSWORD = 1 << 17,    /* the body brings a password: it is wiped once it was read,
                                     and no record of an Idempotency-Key is made of it */
    LIMS_R_BYTES = 1 << 12,       /* a file: at the command line without --json, and in the
                                   application, the answer is the bytes of its contentBase64 */
    LIMS_R_PDF = 1 << 19,         /* of LIMS_R_BYTES: a PDF that the service made; over HTTP the
                                     answer is its bytes on every surface, shown and not saved */
    LIMS_R_ZPL = 1 << 20,         /* of LIMS_R_PDF: or ZPL, where a parameter asks for it, as the
                                     reply's .media_type says: saved and not shown */
    LIMS_R_SIGNED_IN = 1 << 21,   /* application: people who are signed in may, also one who lost
                                     every permission since */
    LIMS_R_OWN_RECORD = 1 << 18,  /* an act on the caller's organization itself, whose id
                                     stands in no path */
    LIMS_R_EACH = 1 << 13         /* an act over many records: a handler signs each of them,
                                   not the service the one of :id (service/each.h) */
};

typedef const lims_error_t *(lims_handler_fn)(lims_request_t *rq);

/* A permission that a value of the body needs. */
typedef struct {
    const char *member; /* of the body */
    const char *value;
    const char *permission;
} lims_permission_by_t;

struct lims_route_t {
    const char *method;    /* "GET"; HEAD comes with it */
    const char *path;      /* below the surface's own: "/samples/:id"; NULL: at the command
                              line alone, and about no record */
    const char *command;   /* limsctl: "qc-batch evaluate", or NULL */
    unsigned surfaces;     /* where it is: of LIMS_SURFACE_... */
    const char *operation; /* OpenAPI operationId */
    const char *summary;
    const char *description; /* longer, Markdown, or NULL */
    const char *scope;       /* that a key needs; NULL: any valid key */
    const char *permission;  /* that a person needs: of kernel/permission.h; NULL: none,
                                because no person reaches it or the owner alone does */
    /* Instead of .permission, where a member of the body has that value; ends with a NULL
     * member. NULL: always .permission. */
    const lims_permission_by_t *permission_by;
    /* Or this one, where the record decides which of the two an act needs: whoever has
     * neither is refused at once, the others by the database. NULL: always the one. */
    const char *permission_or;
    unsigned flags;
    unsigned body;              /* LIMS_F_CREATE or LIMS_F_UPDATE: of .fields */
    const lims_field_t *input;  /* a body of its own instead, or NULL */
    const lims_field_t *form;   /* instead of JSON or beside it: multipart/form-data of
                                   these fields, one of them a LIMS_T_FILE; or NULL */
    const lims_field_t *query;  /* query parameters, or NULL */
    const lims_field_t *output; /* an answer that is not a record, or NULL */
    int status;                 /* of success */
    const int *also;            /* others that a handler may choose, 0 at the end; or NULL */
    /* A signing act: the signature's meaning ("verified", or ":status" for the
     * value of that field) and the table whose record :id is signed. */
    const char *meaning;
    const char *signs;
    /* Signed always and only where a member of the body has one of these values, the last of
     * which is NULL; NULL: as the flags say. */
    const char *sign_member;
    const char *const *sign_values;
    /* Generic action: bind the values, run, no row is 404. */
    lims_stmt_e statement;
    const char *list;         /* of a file: the path of the list whose records it has, a route of
                                 the same resource, of the same parameters; or NULL */
    lims_stmt_e search;       /* of a list: instead, when a filter is given */
    lims_stmt_e changes;      /* of a list: instead, when updatedSince is given */
    lims_handler_fn *check;   /* may refuse by the values alone; fills in from them */
    lims_handler_fn *guard;   /* may refuse before the statement runs */
    lims_handler_fn *handler; /* instead, where there is something to decide */
    /* Before the action, where there is work that takes longer than a connection
     * may be held: what the work has to know and what has to stay whatever becomes
     * of it, in a transaction of its own; then the work, with nothing held. An
     * answer of `prepare` is the answer. Of a read, which has no `prepare`, the work
     * is done behind the handler, and makes the answer. */
    lims_handler_fn *prepare;
    lims_handler_fn *work;
    /* Beyond what any route may answer; ends with LIMS_E_COUNT. */
    const lims_error_e *errors;
};

/* clang-format off */
#define LIMS_ROUTE_END { .method = NULL }
/* clang-format on */

struct lims_resource_t {
    const char *name;   /* "sample" */
    const char *title;  /* "Samples", the OpenAPI tag */
    const char *schema; /* "Sample", the OpenAPI component */
    const char *doc;
    const lims_field_t *fields;
    const lims_route_t *routes;
    lims_stmt_e record; /* :id -> the row of LIMS_F_OUT fields */
    lims_stmt_e lock;   /* :id -> a row, locked until the transaction ends */
    /* The resource that the path names, whose ETag If-Match is compared with, where an act
     * answers with another record; NULL: the same. */
    const lims_resource_t *addressed;
    /* One member of a single record that comes from rows of its own. */
    const char *nested;                     /* its name, or NULL */
    const lims_resource_t *nested_resource; /* whose fields its rows have */
    lims_stmt_e nested_statement;           /* :id -> the rows */
    bool feed; /* its records are the events of openapi/event_types.h, each of a type's shape */
};

/* The list of resources, NULL-terminated (resources.c). */
extern const lims_resource_t *const lims_resources[];

/* --- Requests ------------------------------------------------------------ */

/* The actor of a request. Identifiers are decimal text, ready to bind; NULL: none. */
typedef struct {
    const char *organization;
    const char *key;         /* API key id; NULL where a person acts */
    const char *user;        /* whom the key acts for, who is signed in, or the user of the
                                command line */
    const char *session;     /* of the person who is signed in to the application; else NULL */
    const char *scopes;      /* a PostgreSQL array literal, "{samples:read,…}" */
    const char *permissions; /* of the user, a PostgreSQL array literal; NULL: the matrix of
                                roles does not rule this actor (a key without the policy
                                keysWithinRoles, the owner without a user) */
    bool upload_only;
} lims_actor_t;

/* Measurements of a request. */
typedef struct {
    int trips;                    /* round trips to the database */
    apr_interval_time_t database; /* microseconds they took */
} lims_usage_t;

/* The reply. */
typedef struct {
    int status;
    apr_table_t *headers;
    const char *body; /* JSON, or NULL */
    apr_file_t *file;      /* instead, the bytes of a file (service/spool.h), or NULL */
    const char *file_name; /* of `file`, or of a body that is the bytes of a file; else NULL */
    apr_size_t length;
    bool prints;            /* the change asks for a document, which is to be printed soon */
    const char *media_type; /* of a body that is no JSON; else NULL */
    bool failed; /* what was checked does not hold: limsctl's exit status says so */
} lims_reply_t;

/* A file that came with a request. */
typedef struct {
    const char *name; /* the client's name of it, without a path */
    const char *bytes;
    apr_size_t length;
} lims_upload_t;

struct lims_request_t {
    apr_pool_t *pool;
    const lims_resource_t *resource;
    const lims_route_t *route;
    lims_actor_t actor;
    const char *id;            /* `X-Request-Id` of this request */
    const char *reason;        /* why, for the audit trail; NULL: none was given */
    bool signs;                /* the act is signed: its signer's password was checked */
    bool signer_of_provider;   /* by an authentication provider of httpd, not against a hash */
    const char *content_hash;  /* digest of what the signer was shown of the one record, with
                                  which it is compared when it is signed; NULL: it is not */
    const char *signature;     /* id of the electronic signature made, or NULL */
    lims_values_t *values;     /* path, query and body, validated, by name */
    const lims_upload_t *file; /* of a form; NULL: none came */
    lims_connection_t *connection;
    bool in_transaction;     /* one is open on the connection */
    bool commit_with_answer; /* COMMIT may travel with the reading of it */
    bool roll_back;          /* to be rolled back at the end: a dry run */
    lims_result_t *locked;   /* row of the resource's .lock, once it is held */
    void *staged;            /* data that prepare, work and handler pass on */
    lims_reply_t *reply;
    lims_usage_t usage;
    const lims_settings_t *settings; /* NULL: a job's, which no surface brought */
    lims_exchange_t *exchange;       /* by which a caller over HTTP is checked; else NULL */
    const lims_keyring_t *keyring;   /* NULL: no key file is configured */
    const lims_model_t *model;       /* NULL: no model service is configured */
    const lims_printer_t *printer;   /* NULL: no printer is configured */
    const char *verification;        /* address below which certificates are verified by their
                                        code: "https://lims.example/app/verification/"; or NULL */
    lims_printer_process_t *process; /* of a job, which keeps it; NULL: each print has its own */
};

#endif /* LIMS_H */
