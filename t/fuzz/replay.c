/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a fuzz target over files, without a fuzzer: the corpus as a regression
 * test with any compiler. Prints how many files it ran.
 */
#include "fuzz.h"

static bool run(const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    long size = -1;
    bool read = false;

    if (!file) {
        return false;
    }
    if (fseek(file, 0, SEEK_END) == 0) {
        size = ftell(file);
    }
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        data = malloc((size_t)size + 1);
        read = data && fread(data, 1, (size_t)size, file) == (size_t)size;
    }
    fclose(file);
    if (read) {
        fprintf(stderr, "%s\n", path);
        LLVMFuzzerTestOneInput(data, (size_t)size);
    }
    free(data);
    return read;
}

int main(int count, char **arguments)
{
    int ran = 0;

    for (int i = 1; i < count; i++) {
        if (!run(arguments[i])) {
            fprintf(stderr, "cannot read %s\n", arguments[i]);
            return 1;
        }
        ran++;
    }
    printf("%d\n", ran);
    return 0;
}
