/* SPDX-License-Identifier: Apache-2.0 */
/* extraction.c - the model service, from its directives. */
#include "server/extraction.h"

#include <apr_file_io.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_uri.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <string.h>
#include <unistd.h>

#include "extraction/client.h"
#include "kernel/seal.h"
#include "server/metrics.h"

/* Bound on a certificate with its chain, bytes. */
#define PEM_MAX 65536

/* Whether a URL is https, or http to this machine. */
static bool is_safe(const apr_uri_t *url)
{
    static const char *const own[] = { "localhost", "127.0.0.1", "::1" };

    if (url->scheme && strcmp(url->scheme, "https") == 0) {
        return true;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(own); i++) {
        if (url->scheme && strcmp(url->scheme, "http") == 0 && strcmp(url->hostname, own[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads the API key: one word of visible characters, perhaps with a line end. */
static const char *read_key(const char **key, const char *file, apr_pool_t *pool)
{
    const char *text = NULL, *problem = lims_secret_file_read(&text, file, pool);
    apr_size_t length = 0;

    if (problem || !text) {
        return problem ? problem : apr_psprintf(pool, "there is no file %s", file);
    }
    text += strspn(text, " \t\r\n");
    while (text[length] > 0x20 && text[length] < 0x7F) {
        length++;
    }
    if (length == 0 || text[length + strspn(text + length, " \t\r\n")] != '\0') {
        return apr_psprintf(pool, "%s does not hold one key and nothing else", file);
    }
    *key = apr_pstrmemdup(pool, text, length);
    return NULL;
}

/* The client certificate and its private key, PEM as libcurl takes it. */
typedef struct {
    const char *certificate, *key;
} identity_t;

static const char *read_text(const char **text, const char *file, apr_pool_t *pool)
{
    apr_size_t length = PEM_MAX;
    apr_file_t *in = NULL;
    char *bytes;

    if (apr_file_open(&in, file, APR_FOPEN_READ | APR_FOPEN_BINARY, 0, pool) != APR_SUCCESS) {
        return apr_psprintf(pool, "%s cannot be read", file);
    }
    bytes = apr_pcalloc(pool, PEM_MAX + 1);
    apr_file_read_full(in, bytes, PEM_MAX, &length);
    apr_file_close(in);
    *text = bytes;
    return length == PEM_MAX ? apr_psprintf(pool, "%s is too large", file) : NULL;
}

/* Password callback: keys with a password are not supported. */
static int no_password(char *buffer, int size, int writing, void *data)
{
    (void)writing;
    (void)data;
    return size > 0 ? (buffer[0] = '\0', -1) : -1;
}

/* Checks that certificate and key belong together. NULL, or the problem. */
static const char *judge_pair(const identity_t *identity)
{
    BIO *text = BIO_new_mem_buf(identity->certificate, -1);
    BIO *secret = BIO_new_mem_buf(identity->key, -1);
    X509 *certificate = text ? PEM_read_bio_X509(text, NULL, no_password, NULL) : NULL;
    EVP_PKEY *key = secret ? PEM_read_bio_PrivateKey(secret, NULL, no_password, NULL) : NULL;
    const char *problem = NULL;

    if (!certificate) {
        problem = "LimsExtractionClientCertificate: it holds no certificate in PEM";
    } else if (!key) {
        problem = "LimsExtractionClientKey: it holds no key in PEM, or one under a password";
    } else if (X509_check_private_key(certificate, key) != 1) {
        problem = "LimsExtractionClientKey is not the key of LimsExtractionClientCertificate";
    }
    X509_free(certificate);
    EVP_PKEY_free(key);
    BIO_free(text);
    BIO_free(secret);
    ERR_clear_error();
    return problem;
}

static const char *read_identity(identity_t *identity, const lims_extraction_config_t *extraction,
                                 apr_pool_t *pool)
{
    const char *problem;

    if (!extraction->certificate) {
        return NULL;
    }
    problem = read_text(&identity->certificate, extraction->certificate, pool);
    if (problem) {
        return apr_pstrcat(pool, "LimsExtractionClientCertificate: ", problem, NULL);
    }
    problem = lims_secret_file_read(&identity->key, extraction->certificate_key, pool);
    if (!problem && !identity->key) {
        problem = apr_psprintf(pool, "there is no file %s", extraction->certificate_key);
    }
    return problem ? apr_pstrcat(pool, "LimsExtractionClientKey: ", problem, NULL)
                   : judge_pair(identity);
}

/* Checks the proxy: it is allowed for https only, where it sees the host name but not the
 * data. NULL, or the problem. */
static const char *judge_proxy(const char **remedy, const char *proxy, const apr_uri_t *service,
                               apr_pool_t *pool)
{
    apr_uri_t url;

    if (!proxy) {
        return NULL;
    }
    *remedy = "name the proxy alone, such as http://proxy.example.org:3128";
    if (apr_uri_parse(pool, proxy, &url) != APR_SUCCESS || !url.hostname || !url.scheme ||
        (strcmp(url.scheme, "http") != 0 && strcmp(url.scheme, "https") != 0) ||
        (url.path && strcmp(url.path, "/") != 0) || url.query || url.fragment) {
        return "LimsExtractionProxy is not the URL of a proxy";
    }
    *remedy = "leave it out for a service on this machine, or reach that by https";
    return strcmp(service->scheme, "https") == 0
               ? NULL
               : "LimsExtractionUrl is http, so LimsExtractionProxy could read what is sent";
}

static void make_model(lims_config_t *config, const apr_uri_t *url, const char *key,
                       const identity_t *identity, apr_pool_t *pool)
{
    const lims_extraction_config_t *extraction = &config->extraction;
    lims_model_t *model = apr_pcalloc(pool, sizeof(*model));

    *model = (lims_model_t){ .url = extraction->url,
                             .host = url->hostname,
                             .name = extraction->name,
                             .key = key,
                             .style = (lims_style_e)extraction->style,
                             .output = (lims_output_e)extraction->output,
                             .ca_file = extraction->ca_file,
                             .certificate = identity->certificate,
                             .certificate_key = identity->key,
                             .proxy = extraction->proxy,
                             .connect_timeout = extraction->connect_timeout * 1000,
                             .timeout = extraction->timeout * 1000,
                             .concurrency = (int)extraction->concurrency,
                             .looks = (int)extraction->looks,
                             .bytes_max = (apr_size_t)extraction->bytes_max,
                             .rows_max = (int)extraction->rows_max,
                             .cells_max = (int)extraction->cells_max,
                             .count = lims_metrics_extraction,
                             .counted = config };
    config->model = model;
}

const char *lims_extraction_check(const char **remedy, lims_config_t *config, apr_pool_t *pool)
{
    const lims_extraction_config_t *extraction = &config->extraction;
    const char *key = NULL, *problem = NULL;
    identity_t identity = { NULL, NULL };
    apr_uri_t url;

    if (!extraction->url) {
        return NULL;
    }
    if (apr_uri_parse(pool, extraction->url, &url) != APR_SUCCESS || !url.hostname ||
        !is_safe(&url) || url.user || url.fragment) {
        *remedy =
            "name the endpoint whole, such as https://models.example.org/v1/chat/completions; "
            "http only on this machine, and no user in it";
        return "LimsExtractionUrl is not a URL that results may be sent to";
    }
    if (!extraction->name && extraction->style != LIMS_STYLE_AZURE) {
        *remedy = "name the model, as the service calls it";
        return "LimsExtractionModel is missing";
    }
    if (!extraction->certificate != !extraction->certificate_key) {
        *remedy = "set both or none";
        return "of LimsExtractionClientCertificate and LimsExtractionClientKey one is missing";
    }
    problem = judge_proxy(remedy, extraction->proxy, &url, pool);
    if (problem) {
        return problem;
    }
    *remedy = "correct the path, what the file holds, or who may read it";
    if (extraction->ca_file && access(extraction->ca_file, R_OK) != 0) {
        return apr_psprintf(pool, "LimsExtractionCAFile: %s cannot be read", extraction->ca_file);
    }
    problem = read_identity(&identity, extraction, pool);
    if (!problem && extraction->key_file) {
        problem = read_key(&key, extraction->key_file, pool);
        problem = problem ? apr_pstrcat(pool, "LimsExtractionKeyFile: ", problem, NULL) : NULL;
    }
    if (!problem) {
        make_model(config, &url, key, &identity, pool);
    }
    return problem;
}
