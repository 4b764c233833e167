/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set_texts.c - two generations of set texts. When the young one is full it becomes the old
 * one, whose texts are forgotten but for those that were asked for since.
 */
#include "print/set_texts.h"

#include <string.h>

/* A text that is kept, and the key of its tables. */
typedef struct {
    lims_text_setting_t setting; /* its text is a copy */
    PangoLayout *layout;
} kept_t;

struct lims_set_texts_t {
    PangoContext *context;
    GHashTable *young, *old; /* kept_t, each its own key */
    size_t bytes;            /* of the texts in young */
};

static guint hash(gconstpointer key)
{
    const lims_text_setting_t *setting = &((const kept_t *)key)->setting;
    /* FNV-1a */
    guint32 sum = 2166136261U ^ (guint32)setting->width ^ (setting->one_line ? 0x80000000U : 0);

    for (size_t i = 0; i < setting->length; i++) {
        sum = (sum ^ (unsigned char)setting->text[i]) * 16777619U;
    }
    return sum ^ g_direct_hash(setting->font);
}

static gboolean is_same(gconstpointer one, gconstpointer other)
{
    const lims_text_setting_t *a = &((const kept_t *)one)->setting;
    const lims_text_setting_t *b = &((const kept_t *)other)->setting;

    return a->font == b->font && a->width == b->width && a->one_line == b->one_line &&
           a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void forget(gpointer value)
{
    kept_t *kept = value;

    g_object_unref(kept->layout);
    g_free((char *)kept->setting.text);
    g_free(kept);
}

static GHashTable *new_generation(void)
{
    return g_hash_table_new_full(hash, is_same, NULL, forget);
}

lims_set_texts_t *lims_set_texts_create(PangoContext *context)
{
    lims_set_texts_t *texts = g_new0(lims_set_texts_t, 1);

    texts->context = context;
    texts->young = new_generation();
    texts->old = new_generation();
    return texts;
}

/* Figures of one width; no ligatures, which some readers of PDF do not take apart. */
static PangoAttrList *attributes(void)
{
    static PangoAttrList *list;

    if (!list) {
        list = pango_attr_list_new();
        pango_attr_list_insert(list,
                               pango_attr_font_features_new("tnum=1, lnum=1, liga=0, clig=0"));
        pango_attr_list_insert(list, pango_attr_insert_hyphens_new(FALSE));
    }
    return list;
}

static PangoLayout *set(PangoContext *context, const lims_text_setting_t *setting)
{
    PangoLayout *layout = pango_layout_new(context);

    pango_layout_set_font_description(layout, setting->font);
    pango_layout_set_attributes(layout, attributes());
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    pango_layout_set_width(layout, setting->width);
    pango_layout_set_text(layout, setting->text, (int)setting->length);
    if (setting->one_line) {
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    }
    return layout;
}

static void keep(lims_set_texts_t *texts, kept_t *kept)
{
    if (g_hash_table_size(texts->young) == LIMS_SET_TEXTS_MAX ||
        texts->bytes + kept->setting.length > LIMS_SET_TEXTS_BYTES_MAX) {
        g_hash_table_unref(texts->old);
        texts->old = texts->young;
        texts->young = new_generation();
        texts->bytes = 0;
    }
    texts->bytes += kept->setting.length;
    g_hash_table_add(texts->young, kept);
}

/* Returns a text of the old generation as one of the young, or NULL. */
static kept_t *keep_on(lims_set_texts_t *texts, const kept_t *key)
{
    gpointer kept = NULL;

    if (g_hash_table_steal_extended(texts->old, key, &kept, NULL)) {
        keep(texts, kept);
    }
    return kept;
}

PangoLayout *lims_set_texts_get(lims_set_texts_t *texts, const lims_text_setting_t *setting)
{
    const kept_t key = { .setting = *setting };
    kept_t *kept;

    if (setting->length > LIMS_SET_TEXT_MAX) {
        return set(texts->context, setting);
    }
    kept = g_hash_table_lookup(texts->young, &key);
    kept = kept ? kept : keep_on(texts, &key);
    if (!kept) {
        kept = g_new0(kept_t, 1);
        kept->setting = *setting;
        kept->setting.text = g_strndup(setting->text, setting->length);
        kept->layout = set(texts->context, setting);
        keep(texts, kept);
    }
    return g_object_ref(kept->layout);
}
