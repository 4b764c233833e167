/* SPDX-License-Identifier: Apache-2.0 */
/* seal.c - encryption of secrets at rest, and its keys. */
#include "kernel/seal.h"

#include <apr_escape.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <string.h>

#include "kernel/base64.h"
#include "kernel/field.h"

#define VERSION 1
#define NONCE_LENGTH 12
#define TAG_LENGTH 16

#define KEY_TEXT LIMS_BASE64_LENGTH(LIMS_SEAL_KEY_LENGTH)

#define SEALED_MAX (2 + LIMS_SEAL_ID_MAX + NONCE_LENGTH + LIMS_SEAL_SECRET_MAX + TAG_LENGTH)

typedef struct {
    char id[LIMS_SEAL_ID_MAX + 1];
    unsigned char bytes[LIMS_SEAL_KEY_LENGTH];
} seal_key_t;

struct lims_keyring_t {
    int count;
    seal_key_t keys[LIMS_SEAL_KEYS_MAX];
};

/* Memory of a pool that is wiped before the pool gives it back. */
typedef struct {
    void *bytes;
    apr_size_t length;
} wiped_t;

static apr_status_t wipe(void *data)
{
    wiped_t *wiped = data;

    OPENSSL_cleanse(wiped->bytes, wiped->length);
    return APR_SUCCESS;
}

void *lims_wiped_alloc(apr_size_t length, apr_pool_t *pool)
{
    wiped_t *wiped = apr_palloc(pool, sizeof(*wiped));

    wiped->bytes = apr_pcalloc(pool, length);
    wiped->length = length;
    apr_pool_cleanup_register(pool, wiped, wipe, apr_pool_cleanup_null);
    return wiped->bytes;
}

/* --- Key files ------------------------------------------------------------- */

static bool is_id(const char *id, apr_size_t length)
{
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

    for (apr_size_t i = 0; i < length; i++) {
        if (!memchr(allowed, id[i], sizeof(allowed) - 1)) {
            return false;
        }
    }
    return length > 0 && length <= LIMS_SEAL_ID_MAX;
}

bool lims_keyring_id_valid(const char *id)
{
    return is_id(id, strlen(id));
}

static const seal_key_t *find_key(const lims_keyring_t *ring, const char *id, apr_size_t length)
{
    for (int i = 0; i < ring->count; i++) {
        if (strlen(ring->keys[i].id) == length && memcmp(ring->keys[i].id, id, length) == 0) {
            return &ring->keys[i];
        }
    }
    return NULL;
}

/* Decodes exactly 32 bytes. */
static bool read_key(unsigned char bytes[LIMS_SEAL_KEY_LENGTH], const char *text, apr_size_t length)
{
    unsigned char decoded[KEY_TEXT];
    apr_size_t size = 0;
    bool good = length == KEY_TEXT && lims_base64_read(decoded, &size, text, length) &&
                size == LIMS_SEAL_KEY_LENGTH;

    if (good) {
        memcpy(bytes, decoded, LIMS_SEAL_KEY_LENGTH);
    }
    OPENSSL_cleanse(decoded, sizeof(decoded));
    return good;
}

/* Parses one line, without its end. Messages never quote the line. */
static const char *read_line(lims_keyring_t *ring, const char *line, apr_size_t length)
{
    const char *end = line + length;
    const char *id = line;
    const char *text;
    apr_size_t id_length;
    seal_key_t *key = &ring->keys[ring->count];

    while (id < end && (*id == ' ' || *id == '\t')) {
        id++;
    }
    while (end > id && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) {
        end--;
    }
    if (id == end || *id == '#') {
        return NULL;
    }
    for (text = id; text < end && *text != ' ' && *text != '\t';) {
        text++;
    }
    id_length = (apr_size_t)(text - id);
    while (text < end && (*text == ' ' || *text == '\t')) {
        text++;
    }
    if (!is_id(id, id_length)) {
        return "the id of a key is 1 to 32 letters, digits, '.', '_' or '-'";
    }
    if (find_key(ring, id, id_length)) {
        return "this id stands there twice";
    }
    if (ring->count == LIMS_SEAL_KEYS_MAX) {
        return "there are more than 16 keys; take out those that seal nothing any more";
    }
    if (!read_key(key->bytes, text, (apr_size_t)(end - text))) {
        return "a line is an id, a space and 32 bytes in base64; \"limsctl secret-key\" makes one";
    }
    memcpy(key->id, id, id_length);
    ring->count++;
    return NULL;
}

const char *lims_keyring_parse(const lims_keyring_t **ring, const char *text, const char *name,
                               apr_pool_t *pool)
{
    lims_keyring_t *read = lims_wiped_alloc(sizeof(*read), pool);
    int number = 0;

    for (const char *line = text; *line;) {
        apr_size_t length = strcspn(line, "\n");
        const char *problem = read_line(read, line, length);

        number++;
        if (problem) {
            return apr_psprintf(pool, "%s, line %d: %s", name, number, problem);
        }
        line += length + (line[length] == '\n');
    }
    if (read->count == 0) {
        return apr_psprintf(pool, "%s holds no key; \"limsctl secret-key\" makes one", name);
    }
    *ring = read;
    return NULL;
}

const char *lims_keyring_first(const lims_keyring_t *ring)
{
    return ring->keys[0].id;
}

bool lims_keyring_has(const lims_keyring_t *ring, const char *id)
{
    return find_key(ring, id, strlen(id));
}

bool lims_keyring_derive(unsigned char derived[LIMS_SEAL_KEY_LENGTH], const lims_keyring_t *ring,
                         const char *id, const char *purpose)
{
    const seal_key_t *key = find_key(ring, id, strlen(id));
    unsigned int length = 0;

    return key &&
           HMAC(EVP_sha256(), key->bytes, LIMS_SEAL_KEY_LENGTH, (const unsigned char *)purpose,
                strlen(purpose), derived, &length) &&
           length == LIMS_SEAL_KEY_LENGTH;
}

const char *lims_keyring_line(const char *id, apr_pool_t *pool)
{
    unsigned char bytes[LIMS_SEAL_KEY_LENGTH];
    apr_size_t length = strlen(id);
    char *line = lims_wiped_alloc(length + 1 + KEY_TEXT + 1, pool);

    if (RAND_priv_bytes(bytes, sizeof(bytes)) != 1) {
        return NULL;
    }
    memcpy(line, id, length);
    line[length] = ' ';
    lims_base64_write(line + length + 1, bytes, sizeof(bytes));
    OPENSSL_cleanse(bytes, sizeof(bytes));
    return line;
}

/* --- Sealing --------------------------------------------------------------- */

/* Writes the header before the nonce. */
static int write_header(unsigned char *out, const seal_key_t *key)
{
    int length = (int)strlen(key->id);

    out[0] = VERSION;
    out[1] = (unsigned char)length;
    memcpy(out + 2, key->id, (apr_size_t)length);
    return 2 + length;
}

/* Adds the associated data: header and nonce, then the context. */
static bool add_associated_data(EVP_CIPHER_CTX *cipher,
                                int (*update)(EVP_CIPHER_CTX *, unsigned char *, int *,
                                              const unsigned char *, int),
                                const unsigned char *head, int head_length, const char *context)
{
    int ignored = 0;

    return update(cipher, NULL, &ignored, head, head_length) == 1 &&
           update(cipher, NULL, &ignored, (const unsigned char *)context, (int)strlen(context)) ==
               1;
}

static bool encrypt(unsigned char *out, int *length, const seal_key_t *key, const char *secret,
                    const char *context)
{
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int head = write_header(out, key);
    unsigned char *nonce = out + head;
    unsigned char *text = nonce + NONCE_LENGTH;
    int written = 0;
    int rest = 0;
    bool done =
        cipher && RAND_bytes(nonce, NONCE_LENGTH) == 1 &&
        EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, nonce) == 1 &&
        add_associated_data(cipher, EVP_EncryptUpdate, out, head + NONCE_LENGTH, context) &&
        EVP_EncryptUpdate(cipher, text, &written, (const unsigned char *)secret,
                          (int)strlen(secret)) == 1 &&
        EVP_EncryptFinal_ex(cipher, text + written, &rest) == 1 &&
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, TAG_LENGTH, text + written + rest) == 1;

    EVP_CIPHER_CTX_free(cipher);
    *length = head + NONCE_LENGTH + written + rest + TAG_LENGTH;
    return done;
}

const char *lims_seal(const lims_keyring_t *ring, const char *secret, const char *context,
                      apr_pool_t *pool)
{
    unsigned char out[SEALED_MAX];
    int length = 0;

    if (strlen(secret) > LIMS_SEAL_SECRET_MAX || strlen(context) > LIMS_SEAL_SECRET_MAX ||
        !encrypt(out, &length, &ring->keys[0], secret, context)) {
        return NULL;
    }
    return lims_bytea(out, (apr_size_t)length, pool);
}

const char *lims_seal_prefix(const lims_keyring_t *ring, apr_pool_t *pool)
{
    unsigned char out[2 + LIMS_SEAL_ID_MAX];

    return lims_bytea(out, (apr_size_t)write_header(out, &ring->keys[0]), pool);
}

/* --- Opening --------------------------------------------------------------- */

/* The parts of a sealed secret. */
typedef struct {
    const unsigned char *head;
    int head_length; /* with the nonce */
    const char *id;
    apr_size_t id_length;
    const unsigned char *text;
    int text_length;
    unsigned char tag[TAG_LENGTH];
} sealed_t;

static bool split_sealed(sealed_t *parts, const unsigned char *bytes, apr_size_t length)
{
    if (length < 2 || bytes[0] != VERSION || bytes[1] == 0 || bytes[1] > LIMS_SEAL_ID_MAX ||
        length < (apr_size_t)2 + bytes[1] + NONCE_LENGTH + TAG_LENGTH) {
        return false;
    }
    parts->head = bytes;
    parts->head_length = 2 + bytes[1] + NONCE_LENGTH;
    parts->id = (const char *)bytes + 2;
    parts->id_length = bytes[1];
    parts->text = bytes + parts->head_length;
    parts->text_length = (int)length - parts->head_length - TAG_LENGTH;
    memcpy(parts->tag, bytes + length - TAG_LENGTH, TAG_LENGTH);
    return true;
}

static bool decrypt(unsigned char *out, const seal_key_t *key, sealed_t *parts, const char *context)
{
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    const unsigned char *nonce = parts->text - NONCE_LENGTH;
    int written = 0;
    int rest = 0;
    bool done =
        cipher && EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, nonce) == 1 &&
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, TAG_LENGTH, parts->tag) == 1 &&
        add_associated_data(cipher, EVP_DecryptUpdate, parts->head, parts->head_length, context) &&
        EVP_DecryptUpdate(cipher, out, &written, parts->text, parts->text_length) == 1 &&
        EVP_DecryptFinal_ex(cipher, out + written, &rest) == 1;

    EVP_CIPHER_CTX_free(cipher);
    return done && !memchr(out, '\0', (apr_size_t)parts->text_length);
}

/* Decodes "\x…", the text of a bytea. */
static bool read_bytea(unsigned char bytes[SEALED_MAX + 1], apr_size_t *length, const char *text)
{
    apr_size_t digits = strlen(text);

    return digits >= 2 && digits % 2 == 0 && (digits - 2) / 2 <= SEALED_MAX &&
           strncmp(text, "\\x", 2) == 0 && strspn(text + 2, "0123456789abcdef") == digits - 2 &&
           apr_unescape_hex(bytes, text + 2, (apr_ssize_t)(digits - 2), 0, length) == APR_SUCCESS;
}

const char *lims_unseal(const char **secret, const lims_keyring_t *ring, const char *sealed,
                        const char *context, apr_pool_t *pool)
{
    unsigned char bytes[SEALED_MAX + 1];
    apr_size_t length = 0;
    const seal_key_t *key;
    unsigned char *out;
    sealed_t parts;

    if (!read_bytea(bytes, &length, sealed) || !split_sealed(&parts, bytes, length) ||
        !is_id(parts.id, parts.id_length)) {
        return "it is nothing that this service sealed";
    }
    key = find_key(ring, parts.id, parts.id_length);
    if (!key) {
        return apr_psprintf(pool, "the key file has no key \"%s\"",
                            apr_pstrmemdup(pool, parts.id, parts.id_length));
    }
    out = lims_wiped_alloc((apr_size_t)parts.text_length + 1, pool);
    if (!decrypt(out, key, &parts, context)) {
        return apr_psprintf(pool,
                            "key \"%s\" does not open it: it was changed, or sealed for another "
                            "record, or by another key of that id",
                            key->id);
    }
    *secret = (const char *)out;
    return NULL;
}
