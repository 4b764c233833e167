/* SPDX-License-Identifier: Apache-2.0 */
/* password_rules.c - what a new password must not be. */
#include "kernel/password_rules.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <openssl/crypto.h>
#include <string.h>

/* Most pieces of a common password; more of them are a phrase of its own. */
#define PIECES_MAX 3

/* Shortest piece of a row of keys or of a repetition. */
#define RUN_MIN 3

/* Most digits and signs in a row that do not make a password better, such as "2026!!". */
#define FILLER_MAX 6

/* Common passwords: the words by which lists of stolen passwords begin. */
static const char *const words[] = {
    "password",     "passwort",    "passw",     "pass",
    "letmein",      "welcome",     "admin",     "administrator",
    "login",        "master",      "secret",    "private",
    "access",       "default",     "changeme",  "change",
    "guest",        "user",        "root",      "test",
    "testing",      "tester",      "system",    "server",
    "computer",     "internet",    "google",    "facebook",
    "microsoft",    "windows",     "android",   "samsung",
    "iphone",       "apple",       "qwerty",    "qwertz",
    "azerty",       "iloveyou",    "ilove",     "love",
    "lover",        "loveme",      "lovely",    "you",
    "forever",      "always",      "together",  "family",
    "mother",       "father",      "mommy",     "daddy",
    "babygirl",     "baby",        "princess",  "prince",
    "queen",        "king",        "angel",     "angels",
    "sunshine",     "sunflower",   "flower",    "butterfly",
    "rainbow",      "summer",      "winter",    "spring",
    "autumn",       "january",     "february",  "march",
    "april",        "june",        "july",      "august",
    "september",    "october",     "november",  "december",
    "monday",       "friday",      "sunday",    "monkey",
    "dragon",       "tiger",       "shadow",    "eagle",
    "falcon",       "wolf",        "bear",      "horse",
    "kitty",        "puppy",       "dog",       "cat",
    "chicken",      "buster",      "hunter",    "killer",
    "ranger",       "warrior",     "soldier",   "ninja",
    "pirate",       "superman",    "batman",    "spiderman",
    "super",        "hero",        "pokemon",   "pikachu",
    "starwars",     "star",        "wars",      "matrix",
    "jesus",        "christ",      "god",       "heaven",
    "blessed",      "faith",       "hope",      "church",
    "football",     "foot",        "baseball",  "basketball",
    "ball",         "soccer",      "hockey",    "liverpool",
    "chelsea",      "arsenal",     "barcelona", "manchester",
    "united",       "juventus",    "madrid",    "cowboys",
    "yankees",      "steelers",    "lakers",    "ferrari",
    "porsche",      "mercedes",    "mustang",   "corvette",
    "yamaha",       "harley",      "michael",   "michelle",
    "jessica",      "jennifer",    "ashley",    "amanda",
    "andrea",       "angela",      "anthony",   "charlie",
    "christian",    "christopher", "daniel",    "david",
    "elizabeth",    "george",      "jordan",    "joshua",
    "matthew",      "melissa",     "nicole",    "robert",
    "samantha",     "stephanie",   "thomas",    "william",
    "alexander",    "victoria",    "veronica",  "carolina",
    "chocolate",    "cookie",      "cheese",    "banana",
    "orange",       "purple",      "yellow",    "green",
    "black",        "white",       "silver",    "golden",
    "diamond",      "crystal",     "money",     "dollar",
    "lucky",        "happy",       "smile",     "friend",
    "friends",      "forget",      "remember",  "whatever",
    "nothing",      "something",   "trustno",   "trust",
    "fuck",         "fucking",     "fuckyou",   "fuckoff",
    "shit",         "asshole",     "bitch",     "sexy",
    "hello",        "world",       "good",      "bye",
    "morning",      "night",       "life",      "live",
    "music",        "metal",       "rock",      "guitar",
    "dance",        "player",      "gamer",     "game",
    "games",        "home",        "house",     "school",
    "student",      "teacher",     "office",    "company",
    "business",     "manager",     "service",   "laboratory",
    "labor",        "lab",         "lims",      "water",
    "sample",       "chemistry",   "science",   "my",
    "me",           "the",         "is",        "of",
    "and",          "new",         "old",       "one",
    "two",          "our",         "big",       "bad",
    "no",           "in",          "on",        "for",
    "unbelievable", "california",  "newyork",   "london",
    "paris",        "berlin",      "america",   "american",
    "canada",       "mexico",      "brasil",    "espana",
    "italia",       "australia",   "abc",       "asd",
    "qwe",          "zxc",         "xxx",
};

/* Rows of keys and sequences, read in both directions. */
static const char *const rows[] = {
    "abcdefghijklmnopqrstuvwxyz",
    "01234567890",
    "qwertyuiop[]",
    "qwertzuiop",
    "azertyuiop",
    "asdfghjkl;'",
    "zxcvbnm,./",
    "yxcvbnm",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn",
    "qazwsxedcrfvtgbyhnujm",
    "q1w2e3r4t5y6u7i8o9p0",
    "147258369",
    "!@#$%^&*()",
    "zaq12wsxcde3",
};

/* Returns how many characters at `text` run along the row, in this direction. */
static apr_size_t length_along(const char *text, const char *row, int step)
{
    apr_size_t length = strlen(row), best = 0;

    for (apr_size_t start = 0; start < length; start++) {
        apr_size_t at = start, run = 0;

        while (at < length && text[run] && text[run] == row[at]) {
            run++;
            at += (apr_size_t)step; /* below 0 it wraps to beyond the end */
        }
        best = run > best ? run : best;
    }
    return best;
}

/* Returns the length of the sequence, the row of keys or the repetition at `text`; 0: none. */
static apr_size_t run_length(const char *text)
{
    apr_size_t best = 1;

    while (text[best] == text[0]) {
        best++;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(rows); i++) {
        apr_size_t up = length_along(text, rows[i], 1), down = length_along(text, rows[i], -1);

        best = up > best ? up : best;
        best = down > best ? down : best;
    }
    return best >= RUN_MIN ? best : 0;
}

/* Returns the length of the digits and signs at `text`, at most FILLER_MAX. */
static apr_size_t filler_length(const char *text)
{
    apr_size_t length = 0;

    while (length < FILLER_MAX && text[length] && !apr_isalpha(text[length]) &&
           !((unsigned char)text[length] & 0x80)) {
        length++;
    }
    return length;
}

/* The letters for which people write digits and signs. */
static char letter_of(char c)
{
    static const char written[] = "013457@$!", meant[] = "oieastasi";
    const char *found = c ? strchr(written, c) : NULL;

    return found ? meant[found - written] : c;
}

static bool begins_with_word(const char *text, const char *word)
{
    while (*word && letter_of(*text) == *word) {
        text++;
        word++;
    }
    return !*word;
}

/* Whether the rest of a password consists of at most `pieces` known words; digits and signs
 * between them do not count. */
static bool is_made_of(const char *rest, int pieces, bool filled)
{
    apr_size_t length;

    if (!*rest) {
        return true;
    }
    for (length = filled ? 0 : filler_length(rest); length > 0; length--) {
        if (is_made_of(rest + length, pieces, true)) {
            return true;
        }
    }
    if (pieces == 0) {
        return false;
    }
    length = run_length(rest);
    if (length && is_made_of(rest + length, pieces - 1, false)) {
        return true;
    }
    for (apr_size_t i = 0; i < LIMS_LENGTH(words); i++) {
        if (begins_with_word(rest, words[i]) &&
            is_made_of(rest + strlen(words[i]), pieces - 1, false)) {
            return true;
        }
    }
    return false;
}

/* Returns the length of what the password repeats, or its own. */
static apr_size_t period_of(const char *text)
{
    apr_size_t length = strlen(text), period = 1;

    while (period < length &&
           (length % period != 0 || memcmp(text, text + period, length - period) != 0)) {
        period++;
    }
    return period;
}

/* Makes ASCII letters small. */
static char *folded(const char *text, apr_pool_t *pool)
{
    char *copy = apr_pstrdup(pool, text);

    for (char *c = copy; *c; c++) {
        *c = (char)apr_tolower(*c);
    }
    return copy;
}

bool lims_password_is_common(const char *password, apr_pool_t *pool)
{
    char *text = folded(password, pool);
    apr_size_t length = strlen(text), period = period_of(text);
    bool common;

    /* "wordword", "ab12ab12ab12": as good as its part. */
    common = (period < length && period <= 8) || is_made_of(text, PIECES_MAX, false);
    OPENSSL_cleanse(text, length);
    return common;
}

/* Leaves letters alone, also those beyond ASCII, and makes them small. */
static char *letters_of(const char *text, apr_pool_t *pool)
{
    char *copy = folded(text, pool), *to = copy;

    for (const char *from = copy; *from; from++) {
        if (apr_isalpha(*from) || ((unsigned char)*from & 0x80)) {
            *to++ = *from;
        }
    }
    *to = '\0';
    return copy;
}

const char *lims_password_fault(const char *password, const char *const *names, apr_pool_t *pool)
{
    char *letters = letters_of(password, pool);
    const char *fault = NULL;

    for (; *names && !fault; names++) {
        const char *at = strchr(*names, '@');
        const char *local = at ? apr_pstrmemdup(pool, *names, (apr_size_t)(at - *names)) : *names;
        const char *parts[] = { letters_of(*names, pool), letters_of(local, pool) };

        for (apr_size_t i = 0; i < LIMS_LENGTH(parts); i++) {
            if (*parts[i] && strcmp(parts[i], letters) == 0) {
                fault = at ? "is the e-mail address: choose another"
                           : "is the name of the laboratory: choose another";
            }
        }
    }
    OPENSSL_cleanse(letters, strlen(letters));
    if (!fault && lims_password_is_common(password, pool)) {
        fault = "is one of the commonest, which are tried first: choose another, such as a few "
                "words that do not belong together";
    }
    return fault;
}
