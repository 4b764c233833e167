/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compression.c - what compresses the streams of documents: libdeflate at its fastest level,
 * in a third of zlib's time and to fewer bytes. cairo calls zlib and has no setting. So these
 * definitions stand in front of zlib's for all of the program. A stream that deflateInit()
 * begins, as cairo's all are, is gathered and compressed at once when its end is asked for;
 * those of deflateInit2(), by which libpng writes pictures, go on to zlib.
 */
#include <dlfcn.h>
#include <glib.h>
#include <libdeflate.h>
#include <string.h>
#include <zlib.h>

#define FASTEST 1

/* Bytes of a stream that there is room for at first: a page of a certificate. */
#define FIRST_SIZE (32 * 1024)

/* A stream that is gathered. Where there is no memory, GLib ends the program, as everywhere
 * in it (bounds.h). */
typedef struct {
    GByteArray *plain;
    GByteArray *packed; /* NULL until the end was asked for */
    guint given;        /* bytes of packed that the caller has */
} gathered_t;

#define IN_FRONT_OF_ZLIB __attribute__((visibility("default")))

#undef deflateInit_
IN_FRONT_OF_ZLIB int deflateInit_(z_streamp stream, int level, const char *version, int size);
IN_FRONT_OF_ZLIB int deflate(z_streamp stream, int flush);
IN_FRONT_OF_ZLIB int deflateEnd(z_streamp stream);

/* The zfree of a gathered stream, by which it is told from a stream of zlib; nobody calls it. */
static void mark(voidpf opaque, voidpf address)
{
    (void)opaque;
    (void)address;
}

/* Returns NULL for a stream of zlib. */
static gathered_t *gathered(z_streamp stream)
{
    return stream && stream->zfree == mark ? (gathered_t *)(void *)stream->state : NULL;
}

int deflateInit_(z_streamp stream, int level, const char *version, int size)
{
    gathered_t *this;

    (void)level;
    if (!version || *version != *ZLIB_VERSION || size != (int)sizeof(*stream)) {
        return Z_VERSION_ERROR;
    }
    this = g_new0(gathered_t, 1);
    this->plain = g_byte_array_sized_new(FIRST_SIZE);
    stream->zfree = mark;
    stream->state = (void *)this;
    stream->total_in = stream->total_out = 0;
    return Z_OK;
}

static void gather(gathered_t *this, z_streamp stream)
{
    g_byte_array_append(this->plain, stream->next_in, stream->avail_in);
    stream->next_in += stream->avail_in;
    stream->total_in += stream->avail_in;
    stream->avail_in = 0;
}

static void pack(gathered_t *this)
{
    static struct libdeflate_compressor *compressor;
    gsize most, length;

    if (!compressor) {
        compressor = libdeflate_alloc_compressor(FASTEST);
    }
    if (!compressor) {
        g_error("no memory to compress with");
    }
    most = libdeflate_zlib_compress_bound(compressor, this->plain->len);
    this->packed = g_byte_array_sized_new((guint)most);
    length = libdeflate_zlib_compress(compressor, this->plain->data, this->plain->len,
                                      this->packed->data, most);
    g_byte_array_set_size(this->packed, (guint)length);
}

/* Gives as much as the caller has room for. */
static int give(gathered_t *this, z_streamp stream)
{
    guint left = this->packed->len - this->given;
    guint length = left < stream->avail_out ? left : stream->avail_out;

    memcpy(stream->next_out, this->packed->data + this->given, length);
    this->given += length;
    stream->next_out += length;
    stream->total_out += length;
    stream->avail_out -= length;
    return this->given == this->packed->len ? Z_STREAM_END : Z_OK;
}

int deflate(z_streamp stream, int flush)
{
    gathered_t *this = gathered(stream);

    if (!this) {
        int (*zlib)(z_streamp, int);

        *(void **)(&zlib) = dlsym(RTLD_NEXT, "deflate");
        return zlib(stream, flush);
    }
    if (stream->avail_out == 0) {
        return Z_BUF_ERROR;
    }
    if (!this->packed && stream->avail_in > 0) {
        gather(this, stream);
    }
    if (!this->packed && flush == Z_FINISH) {
        pack(this);
    }
    return this->packed ? give(this, stream) : Z_OK;
}

int deflateEnd(z_streamp stream)
{
    gathered_t *this = gathered(stream);

    if (!this) {
        int (*zlib)(z_streamp);

        *(void **)(&zlib) = dlsym(RTLD_NEXT, "deflateEnd");
        return zlib(stream);
    }
    g_byte_array_unref(this->plain);
    if (this->packed) {
        g_byte_array_unref(this->packed);
    }
    g_free(this);
    stream->state = NULL;
    stream->zfree = NULL;
    return Z_OK;
}
