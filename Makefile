# SPDX-License-Identifier: Apache-2.0
#
# make                 build/out/mod_lims.so, build/out/limsctl and its manual page,
#                      build/out/lims-print; and, where Node and npm are, the pages of
#                      the application in build/out/application
# make run             a private instance in build/run, in the background
# make stop            stops it; its data stays
# make test            the whole suite; make test T=t/samples runs a part of it
# make check-asan      the suite with AddressSanitizer and UBSan in the module
# make check-pools     the same on an APR whose pools check themselves
# make check-threads   ThreadSanitizer in the module, while webhooks are sent under
#                      load and reads take turns; T=t/webhooks and the like: more
# make check-partitioned  the suite on tables partitioned by organization
# make check-clients   clients that other people's generators make of the OpenAPI
#                      document ask for the right URLs (installs them with npm into
#                      build/clients)
# make check-valgrind  httpd and all programs under valgrind, on that APR
# make torture         the long form of t/torture: TORTURE_KILLS (200) times kill -9
#                      under write load, every allocation and database call of
#                      some requests failed; TORTURE_SEED repeats a run. WALK_SECONDS
#                      (3600) of random steps through the release gates; WALK_SEED
#                      and DAMAGE_SECONDS (3600) of damaged files of instruments;
#                      DAMAGE_SEED repeats them
# make walk            20,000 acts of people at random, after which every sample is
#                      brought to its end; WALK_SEED repeats a walk
# make pictures        every screen of the application, full, empty, refused and waiting,
#                      at two sizes, light and dark, and sheets of them, in
#                      build/out/screenshots; PICTURES='^(samples|lots)' some of the
#                      screens, PICTURES_STATES='empty refused' some of the states
# make soak            memory and descriptors after SOAK_REQUESTS (1000000), and
#                      SOAK_RESTARTS (100) graceful restarts under load
# make fuzz            every fuzzer for FUZZ_SECONDS each (needs clang)
# make bench           speed beside its references (BENCH_SCALE=0.01
#                      BENCH_ROUNDS=1: a look)
# make bench-scan      the lifecycle scan's cost by how much there is
# make bench-lists     pages of lists with every filter, at a million samples
# make bench-trail     verification of a million audit entries, a control chart
# make bench-batches   judging 200 results, an order of 200 samples
# make bench-documents certificates as PDF: how soon, a thousand, what it leaves to the API
# make bench-application  the pages in a browser beside their goals, sessions beside keys,
#                      keys in a flood of sign-ins
# make bench-webhooks  the part of it about webhooks; bench-ingest: about files of
#                      instruments
# make torture-documents  500 certificates issued, while printer, httpd and PostgreSQL
#                      are killed
# make torture-webhooks  20,000 events and more on their way, while everything that
#                      sends them is killed
# make check-debian    types the README's chapter "In an existing Apache, on an
#                      existing PostgreSQL" on Debian's own apache2 and postgresql,
#                      in a clean chroot below CHROOT (/var/tmp/lims-debian). Needs root,
#                      debootstrap and a Debian mirror (MIRROR); CLEAN=yes makes the
#                      chroot anew
# make install         into DESTDIR, prefix; what `make` made, without compiling.
#                      make uninstall takes it away, but for /etc/mod_lims
# make prerequisites   installs the Debian packages that are missing: what building,
#                      running and testing need
# make prerequisites-build  only what building needs, for a production server
# make format          has clang-format write every C file; format-check asks
#                      whether that would change anything
# make clean           stops everything, removes what was built; keeps the data
#                      of `make run`, which `make distclean` removes as well
#
# Sources are found by their place: a new folder under modules/ needs no line
# here. What has modules/server/ or modules/dispatch/ links into the module only,
# modules/tool/ into limsctl only, modules/print/ into lims-print only; what is in $(KERNEL) also into the unit tests
# and fuzzers.

OUT ?= build/out
PAGES := build/out/application
T ?= t
# One more than there are processors: the tests wait for a good part of their time.
JOBS ?= $(shell expr $$(nproc) + 1)
FUZZ_SECONDS ?= 60
TORTURE_KILLS ?= 200
WALK_SECONDS ?= 3600
DAMAGE_SECONDS ?= 3600
TORTURE_WRITES ?= 10000
SOAK_REQUESTS ?= 1000000
SOAK_RESTARTS ?= 100

prefix ?= /usr
sbindir ?= $(prefix)/sbin
libdir ?= $(prefix)/lib
datadir ?= $(prefix)/share
mandir ?= $(datadir)/man
docdir ?= $(datadir)/doc/mod_lims
sysconfdir ?= /etc

# Tools that may be missing are reported by $(OUT)/tools, not here.
APXS ?= $(firstword $(shell command -v apxs apxs2 2>/dev/null) apxs)
libexecdir ?= $(shell $(APXS) -q LIBEXECDIR 2>/dev/null)
HTTPD_INCLUDE := $(shell $(APXS) -q INCLUDEDIR 2>/dev/null)
APR_CPPFLAGS := $(shell apr-1-config --cppflags 2>/dev/null)
APR_INCLUDE := $(shell apr-1-config --includedir 2>/dev/null)
APR_LIBS := $(shell apu-1-config --link-ld 2>/dev/null) $(shell apr-1-config --link-ld --libs 2>/dev/null)
PQ_INCLUDE := $(shell pg_config --includedir 2>/dev/null)

CC ?= cc
CFLAGS ?= -O2 -g
# A compiler of tomorrow warns of more: `make WERROR=` builds all the same.
WERROR ?= -Werror
WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes \
    -Wstrict-prototypes -Wvla $(WERROR)
HARDENING := -fstack-protector-strong -fno-omit-frame-pointer
SANITIZE ?=
CPPFLAGS_ALL := -Imodules -I$(OUT) $(patsubst %,-isystem %,$(APR_INCLUDE) $(PQ_INCLUDE)) \
    $(APR_CPPFLAGS) $(CPPFLAGS)
CFLAGS_ALL = -std=c11 $(WARNINGS) -fPIC -fvisibility=hidden $(HARDENING) $(SANITIZE) $(CFLAGS)
# Of lims-print alone.
PRINT_PACKAGES := pangocairo pangofc cairo-pdf fontconfig libpng
PRINT_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(PRINT_PACKAGES) 2>/dev/null))
PRINT_LIBS := $(shell pkg-config --libs $(PRINT_PACKAGES) 2>/dev/null) -lzint -ldeflate -lz -lm
LIBS := -lyajl -lpq -lcurl -lssl -lcrypto -lzip -lexpat -lpcre2-8 -lm

SQL := $(sort $(wildcard modules/*/*.sql))
MIGRATIONS := $(sort $(wildcard sql/[0-9]*.sql))
# The last of the demonstration's files is made of profiles that come with the
# service.
DEMO_PROFILES := $(patsubst %,conf/profiles/%.json,agilent-masshunter-calculated \
    shimadzu-gcmssolution thermo-qubit-flex)
DEMO := $(sort $(wildcard sql/demo/[0-9]*.sql)) $(OUT)/013_profiles.sql
SOURCES := $(sort mod_lims.c $(wildcard modules/*.c modules/*/*.c))
SERVER := $(filter mod_lims.c modules/server/%,$(SOURCES))
DISPATCH := $(filter modules/dispatch/%,$(SOURCES))
TOOL := $(filter modules/tool/%,$(SOURCES))
PRINT := $(filter modules/print/%,$(SOURCES))
KERNEL := $(filter modules/kernel/% modules/openapi/% modules/formats/% modules/profiles/% modules/extraction/% modules/documents/zpl.c,$(SOURCES))
SHARED := $(filter-out $(SERVER) $(DISPATCH) $(TOOL) $(PRINT),$(SOURCES))
GENERATED := $(OUT)/statements.o $(OUT)/migrations.o

object = $(patsubst %.c,$(OUT)/%.o,$(1))
MODULE_OBJECTS := $(call object,$(SHARED) $(SERVER) $(DISPATCH)) $(GENERATED)
TOOL_OBJECTS := $(call object,$(SHARED) $(TOOL)) $(GENERATED) $(OUT)/demo.o
PRINT_OBJECTS := $(call object,$(PRINT))

UNITS := $(patsubst %.c,$(OUT)/%,$(sort $(wildcard t/kernel/*.c t/openapi/*.c t/formats/*.c t/profiles/*.c t/documents/*.c)))
FUZZ_TARGETS := $(filter-out replay,$(patsubst t/fuzz/%.c,%,$(sort $(wildcard t/fuzz/*.c))))
# What the pages are made of.
PAGES_SOURCES := $(shell find modules/application/web -type f 2>/dev/null) \
    $(patsubst %,modules/application/%,build.mjs package.json tsconfig.json) \
    conf/profiles/README.md
# What tests read files with, and what writes down the tables of all resources.
READER := $(OUT)/t/lib/reader
TABLES := $(OUT)/t/contract/tables
# What tries every route as every role.
MATRIX := $(OUT)/t/permissions/matrix $(OUT)/t/walk/acts
# What tests preload.
FAILERS := $(patsubst %,$(OUT)/fail/%.so,memory calls clock)
REPLAYS := $(patsubst %,$(OUT)/t/fuzz/%,$(FUZZ_TARGETS))
FUZZERS := $(patsubst %,build/fuzz/%,$(FUZZ_TARGETS))

.PHONY: all units pages bench bench-application bench-scan bench-lists bench-trail bench-batches bench-documents bench-webhooks bench-ingest install run stop test suite check-asan \
    check-pools check-threads check-valgrind check-partitioned check-clients torture torture-documents torture-webhooks walk soak \
    picture pictures \
    fuzz fuzzers clean distclean prerequisites prerequisites-build format format-check \
    uninstall check-debian FORCE
.DELETE_ON_ERROR:
.SUFFIXES:

all: $(OUT)/mod_lims.so $(if $(TOOL),$(OUT)/limsctl $(OUT)/limsctl.8) $(OUT)/lims-print pages

# --- Prerequisites -----------------------------------------------------------

# Says which packages are missing and how to get them.
$(OUT)/tools: build/prerequisites
	@build/prerequisites --check build
	@mkdir -p $(@D) && touch $@

prerequisites:
	@build/prerequisites

prerequisites-build:
	@build/prerequisites build

# --- Generated sources -------------------------------------------------------

# The list of inputs is itself an input: a file that was removed counts.
$(OUT)/inputs: FORCE
	@mkdir -p $(@D)
	@echo '$(SQL) $(MIGRATIONS) $(DEMO)' | cmp -s - $@ \
	    || echo '$(SQL) $(MIGRATIONS) $(DEMO)' > $@

# The header changes only when a name does, so that a changed statement does
# not compile everything anew.
$(OUT)/statements.c: build/statements.awk $(SQL) $(OUT)/inputs
	@awk -v header=$(OUT)/statements.h.new -v source=$@ \
	    -f build/statements.awk /dev/null $(SQL)
	@cmp -s $(OUT)/statements.h.new $(OUT)/statements.h \
	    || cp $(OUT)/statements.h.new $(OUT)/statements.h
	@rm $(OUT)/statements.h.new

$(OUT)/statements.h: $(OUT)/statements.c
	@test -f $@ || { rm $<; $(MAKE) --no-print-directory $<; }

$(OUT)/migrations.c: build/migrations.awk $(MIGRATIONS) $(OUT)/inputs
	@sha256sum /dev/null $(MIGRATIONS) > $(OUT)/migrations.sha256
	@awk -f build/migrations.awk $(OUT)/migrations.sha256 $(MIGRATIONS) > $@

$(OUT)/013_profiles.sql: build/profiles.awk $(DEMO_PROFILES)
	@mkdir -p $(@D)
	@awk -f build/profiles.awk $(DEMO_PROFILES) > $@

$(OUT)/demo.c: build/migrations.awk $(DEMO) $(OUT)/inputs
	@sha256sum /dev/null $(DEMO) > $(OUT)/demo.sha256
	@awk -v table=lims_demo_files -f build/migrations.awk $(OUT)/demo.sha256 $(DEMO) > $@

# --- Objects and programs ----------------------------------------------------

# A change of flags or compiler compiles everything anew.
$(OUT)/flags: FORCE | $(OUT)/tools
	@echo '$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL)' | cmp -s - $@ \
	    || echo '$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL)' > $@

define compile
@mkdir -p $(@D)
@echo "cc $<"
@$(CC) $(CPPFLAGS_ALL) $(1) $(CFLAGS_ALL) -MMD -MP -MF $(@:.o=.d) -c -o $@ $<
endef

$(call object,$(SERVER)): $(OUT)/%.o: %.c $(OUT)/flags | $(OUT)/statements.h
	$(call compile,-isystem $(HTTPD_INCLUDE))

$(call object,$(SHARED) $(DISPATCH) $(TOOL)): $(OUT)/%.o: %.c $(OUT)/flags | $(OUT)/statements.h
	$(call compile)

$(call object,$(PRINT)): $(OUT)/%.o: %.c $(OUT)/flags | $(OUT)/statements.h
	$(call compile,$(PRINT_CFLAGS))

$(GENERATED) $(OUT)/demo.o: $(OUT)/%.o: $(OUT)/%.c $(OUT)/flags | $(OUT)/statements.h
	$(call compile)

# httpd provides its own symbols when it loads the module, so the linker can't
# tell an undefined one from a misspelt one; build/symbols can.
$(OUT)/mod_lims.so: $(MODULE_OBJECTS) build/symbols
	@echo "ld $@"
	@$(CC) -shared $(SANITIZE) -Wl,-z,relro,-z,now $(LDFLAGS) -o $@.$$$$ $(MODULE_OBJECTS) $(LIBS) \
	    && build/symbols $@.$$$$ "$$($(APXS) -q sbindir)/$$($(APXS) -q progname)" \
	    && mv $@.$$$$ $@ || { rm -f $@.$$$$; exit 1; }

$(OUT)/limsctl: $(TOOL_OBJECTS)
	@echo "ld $@"
	@$(CC) $(SANITIZE) -Wl,-z,relro,-z,now $(LDFLAGS) -o $@.$$$$ $(TOOL_OBJECTS) $(LIBS) \
	    $(APR_LIBS) && mv $@.$$$$ $@ || { rm -f $@.$$$$; exit 1; }

# Of the kernel only what it uses: neither libpq nor curl.
$(OUT)/lims-print: $(PRINT_OBJECTS) $(OUT)/kernel.a
	@echo "ld $@"
	@$(CC) $(SANITIZE) -Wl,-z,relro,-z,now -Wl,--as-needed $(LDFLAGS) -o $@.$$$$ $(PRINT_OBJECTS) \
	    $(OUT)/kernel.a $(PRINT_LIBS) -lyajl -lcrypto $(APR_LIBS) && mv $@.$$$$ $@ \
	    || { rm -f $@.$$$$; exit 1; }

$(OUT)/limsctl.8: $(OUT)/limsctl
	@$(OUT)/limsctl man > $@

# A limsctl of tomorrow, which knows one migration more: for the test that applies
# one while requests run.
NEXT := $(OUT)/t/faults/migrations
$(NEXT).c: t/faults/next.sql build/migrations.awk $(MIGRATIONS) $(OUT)/inputs
	@mkdir -p $(@D)
	@last=$(notdir $(lastword $(MIGRATIONS))); next=$(@D)/$$(($${last%%_*} + 1))_next.sql; \
	rm -f $(@D)/*_next.sql && cp $< $$next && sha256sum $(MIGRATIONS) $$next > $(NEXT).sha256 \
	    && awk -f build/migrations.awk $(NEXT).sha256 $(MIGRATIONS) $$next > $@

$(NEXT).o: $(NEXT).c $(OUT)/flags
	$(call compile)

$(OUT)/t/faults/limsctl: $(filter-out $(OUT)/migrations.o,$(TOOL_OBJECTS)) $(NEXT).o
	@echo "ld $@"
	@$(CC) $(SANITIZE) $(LDFLAGS) -o $@ $^ $(LIBS) $(APR_LIBS)

-include $(patsubst %.o,%.d,$(sort $(MODULE_OBJECTS) $(TOOL_OBJECTS) $(PRINT_OBJECTS)))
-include $(patsubst %,%.d,$(UNITS) $(REPLAYS) $(READER) $(TABLES) $(MATRIX))

# --- The application's pages -------------------------------------------------

# The module works without them: where Node is missing, or a registry for its
# packages, that is said and the rest is made.
NODE := $(shell node --version 2>/dev/null | sed -n 's/^v\(1[89]\|[2-9][0-9]\)\..*/yes/p')
PACKAGES := modules/application/node_modules/.package-lock.json

ifeq ($(NODE)$(shell command -v npm >/dev/null 2>&1 && echo yes),yesyes)
pages: $(PAGES)/index.html
else
pages:
	@echo "The pages of the application are not made: Node 18 or later and npm are missing" \
	    "(make prerequisites installs them)."
endif

# Only what the lock file names, and none of its scripts.
$(PACKAGES): modules/application/package.json modules/application/package-lock.json
	@echo "npm ci"
	@cd modules/application && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
	    > /dev/null && touch node_modules/.package-lock.json || { rm -rf node_modules; \
	    echo "The pages of the application are not made: their packages could not be had."; }

# The OpenAPI documents: the application's, of which the pages' types are made, and the
# API's, which the pages show as its reference.
$(OUT)/application.json $(OUT)/api.json: $(OUT)/%.json: $(OUT)/limsctl
	@$(OUT)/limsctl openapi --surface $* > $@.new
	@cmp -s $@.new $@ || cp $@.new $@
	@rm $@.new

$(PAGES)/index.html: $(PAGES_SOURCES) $(PACKAGES) $(OUT)/application.json $(OUT)/api.json
	@test ! -f $(PACKAGES) || { echo "pages $(PAGES)" && node modules/application/build.mjs \
	    $(OUT)/application.json $(OUT)/api.json build/out/application-types/api.d.ts $(PAGES); }

# --- Unit tests and fuzzers --------------------------------------------------

units: $(UNITS) $(REPLAYS) $(FAILERS) $(READER) $(TABLES) $(MATRIX) $(OUT)/t/faults/limsctl

$(OUT)/kernel.a: $(call object,$(KERNEL)) $(OUT)/statements.o
	@rm -f $@
	@ar rcs $@ $^

UNIT_FLAGS = $(CPPFLAGS_ALL) -It/lib $(CFLAGS_ALL)

$(UNITS) $(READER): $(OUT)/%: %.c $(OUT)/kernel.a
	@mkdir -p $(@D)
	@echo "cc $<"
	@$(CC) $(UNIT_FLAGS) -MMD -MP -MF $@.d -MT $@ -o $@ $< $(OUT)/kernel.a $(LIBS) $(APR_LIBS)

$(TABLES): $(OUT)/%: %.c $(call object,$(SHARED)) $(GENERATED)
	@mkdir -p $(@D)
	@echo "cc $<"
	@$(CC) $(UNIT_FLAGS) -MMD -MP -MF $@.d -MT $@ -o $@ $< $(filter %.o,$^) $(LIBS) $(APR_LIBS)

$(MATRIX): $(OUT)/%: %.c $(filter-out $(OUT)/modules/tool/limsctl.o,$(TOOL_OBJECTS))
	@mkdir -p $(@D)
	@echo "cc $<"
	@$(CC) $(UNIT_FLAGS) -MMD -MP -MF $@.d -MT $@ -o $@ $< $(filter %.o,$^) $(LIBS) $(APR_LIBS)

# The fuzz target with a main() that replays a corpus instead of a fuzzer.
# The reader of logos is lims-print's, and alone in this.
LOGO := $(call object,modules/print/logo.c)
$(OUT)/t/fuzz/logo build/fuzz/logo: $(LOGO)
$(OUT)/t/fuzz/logo build/fuzz/logo: FUZZED := $(LOGO) -lpng

$(REPLAYS): $(OUT)/t/fuzz/%: t/fuzz/%.c t/fuzz/replay.c $(OUT)/kernel.a
	@mkdir -p $(@D)
	@echo "cc $<"
	@$(CC) $(UNIT_FLAGS) -Wno-missing-prototypes -MMD -MP -MF $@.d -MT $@ -o $@ \
	    $< t/fuzz/replay.c $(FUZZED) $(OUT)/kernel.a $(LIBS) $(APR_LIBS)

$(FAILERS): $(OUT)/fail/%.so: build/fail/%.c build/fail/control.c build/fail/fail.h
	@mkdir -p $(@D)
	@echo "cc $<"
	@$(CC) -std=c11 -D_GNU_SOURCE $(WARNINGS) -Wno-missing-prototypes -fPIC -O1 -g -shared \
	    -isystem $(PQ_INCLUDE) -o $@ $< build/fail/control.c -ldl

# Only with what `make fuzz` sets: the kernel is compiled for fuzzing, once for all.
$(FUZZERS): build/fuzz/%: t/fuzz/%.c $(OUT)/kernel.a
	@echo "cc $<"
	@$(CC) $(UNIT_FLAGS) -Wno-missing-prototypes -fsanitize=fuzzer -o $@ \
	    $< $(FUZZED) $(OUT)/kernel.a $(LIBS) $(APR_LIBS)

fuzzers: $(FUZZERS)

# New findings are kept beside the fuzzers; the corpora in t/fuzz are read only.
fuzz: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) OUT=build/fuzz CC=clang CFLAGS="-O1 -g" \
	    SANITIZE="-fsanitize=fuzzer-no-link,address,undefined" fuzzers
	@for target in $(FUZZ_TARGETS); do \
	    mkdir -p build/fuzz/found/$$target; \
	    build/fuzz/$$target -max_total_time=$(FUZZ_SECONDS) -timeout=10 -print_final_stats=1 \
	        -artifact_prefix=build/fuzz/found/$$target- \
	        build/fuzz/found/$$target t/fuzz/corpus/$$target || exit 1; \
	done

# --- Running -----------------------------------------------------------------

# The second make sees the tools that the prerequisites brought.
run: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@build/instance run build/run

stop:
	@build/instance stop build/run

# --- Tests -------------------------------------------------------------------

test: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_TEST_SECONDS=$${LIMS_TEST_SECONDS:-1800} $(MAKE) --no-print-directory suite

suite:
	@JOBS=$(JOBS) LIMS_OUT=$(OUT) build/suite $(T)

# ASan has to be in the process before anything else, hence the preload; what
# it finds lands in files, which fail the test that provoked them.
ASAN := -fsanitize=address,undefined -fno-sanitize-recover=undefined
preloaded = $(shell readlink -f "$$($(CC) -print-file-name=$(1).so)")

define with-asan
@$(MAKE) --no-print-directory -j$(JOBS) OUT=build/asan SANITIZE="$(ASAN)" CFLAGS="-O1 -g" all units
@ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 \
UBSAN_OPTIONS=print_stacktrace=1 \
LIMS_PRELOAD="$(call preloaded,libasan):$(call preloaded,libubsan)" \
    $(1) $(MAKE) --no-print-directory OUT=build/asan suite
endef

bench-webhooks: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/webhooks

torture-documents: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@DOCUMENT_ISSUES=$${DOCUMENT_ISSUES:-500} \
	    $(MAKE) --no-print-directory suite T=t/documents/kills.t

# At least 20,000 events; TORTURE_SEED repeats a run.
torture-webhooks: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@TORTURE_EVENTS=$${TORTURE_EVENTS:-20000} $(MAKE) --no-print-directory suite \
	    T=t/webhooks/torture.t

check-asan: prerequisites
	$(call with-asan)

# httpd's child never joins the thread that started its others.
check-threads: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) OUT=build/tsan SANITIZE=-fsanitize=thread \
	    CFLAGS="-O1 -g" build/tsan/mod_lims.so build/tsan/limsctl
	@TSAN_OPTIONS="report_thread_leaks=0 suppressions=$(CURDIR)/build/threads.supp" \
	LIMS_PRELOAD="$(call preloaded,libtsan)" \
	    $(MAKE) --no-print-directory OUT=build/tsan suite \
	    T="$(if $(filter-out t,$(T)),$(T),t/webhooks/delivery.t t/webhooks/isolation.t \
	    t/webhooks/misbehaving_receivers.t t/webhooks/retry_schedule.t t/server/fair_reads.t)"

# Each piece of a pool is then an allocation of its own, which ASan can watch.
check-pools: prerequisites
	@build/pools build/apr
	$(call with-asan,LD_LIBRARY_PATH=$(CURDIR)/build/apr/lib)

# What `make test` has a short form of.
check-partitioned: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_PARTITIONED=1 $(MAKE) --no-print-directory suite

# Packages of other people's: in a folder of their own, and none of their scripts.
check-clients: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@mkdir -p build/clients
	@cp t/contract/clients/package.json t/contract/clients/.npmrc build/clients/
	@cd build/clients && npm install --ignore-scripts --no-package-lock --loglevel=error
	@LIMS_CLIENTS=build/clients $(MAKE) --no-print-directory T=t/contract/clients.t suite

torture: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@TORTURE_KILLS=$(TORTURE_KILLS) TORTURE_WRITES=$(TORTURE_WRITES) WALK_SECONDS=$(WALK_SECONDS) \
	    DAMAGE_SECONDS=$(DAMAGE_SECONDS) $(MAKE) --no-print-directory T=t/torture JOBS=1 suite

# The README's picture of the application, as a test of the pages has it.
picture: prerequisites
	@$(MAKE) --no-print-directory test T=t/application/web/samples.t
	@cp $(OUT)/screenshots/samples-light.png modules/application/samples.png

# To be looked at; a test of the pages by itself takes some of them, a run of all none.
pictures: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@PICTURES='$(or $(PICTURES),.)' PICTURES_STATES='$(PICTURES_STATES)' \
	    $(MAKE) --no-print-directory T=t/application/web/pictures.t suite

# What `make test` has a short form of; WALK_SEED repeats it.
walk: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@WALK_ACTS=$${WALK_ACTS:-20000} $(MAKE) --no-print-directory T=t/walk suite

soak: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@SOAK_REQUESTS=$(SOAK_REQUESTS) SOAK_RESTARTS=$(SOAK_RESTARTS) \
	    $(MAKE) --no-print-directory T=t/torture/soak.t suite

# What it finds in httpd fails the test that provoked it; what it finds in limsctl
# and the unit tests is shown at the end. T=t/samples and the like: the whole suite
# takes hours.
check-valgrind: prerequisites
	@command -v valgrind > /dev/null || { echo "valgrind is missing: apt-get install valgrind"; exit 1; }
	@build/pools build/apr
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@build/memcheck $(OUT) build/valgrind
	@status=0; \
	LD_LIBRARY_PATH=$(CURDIR)/build/apr/lib \
	LIMS_VALGRIND="-q --num-callers=30 --fair-sched=yes" \
	    $(MAKE) --no-print-directory OUT=build/valgrind suite || status=1; \
	find build/valgrind/found -type f -size +0 -exec cat {} + | grep . && status=1; \
	exit $$status

CHROOT ?= /var/tmp/lims-debian
check-debian:
	@build/debian $(CHROOT)

# --- Speed -------------------------------------------------------------------

bench: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/run
	@LIMS_OUT=$(OUT) build/bench/webhooks
	@LIMS_OUT=$(OUT) build/bench/ingest

bench-ingest: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/ingest

bench-scan: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/scan

bench-lists: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/lists

bench-trail: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/trail

bench-batches: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/batches

bench-documents: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/documents

bench-application: prerequisites
	@$(MAKE) --no-print-directory -j$(JOBS) all units
	@LIMS_OUT=$(OUT) build/bench/application
	@LIMS_OUT=$(OUT) build/bench/sessions
	@LIMS_OUT=$(OUT) build/bench/flood

# --- Installing --------------------------------------------------------------

# As root after `make` of somebody else, whose CFLAGS root has not: what is there is
# what is installed. Stripping is for whoever makes a package.
share := $(DESTDIR)$(datadir)/mod_lims
folders := $(DESTDIR)$(libexecdir) $(DESTDIR)$(sbindir) $(DESTDIR)$(mandir)/man8 \
    $(DESTDIR)$(docdir) $(DESTDIR)$(libdir)/mod_lims $(share) $(share)/fail2ban $(share)/profiles $(share)/receivers \
    $(share)/www
mods_available = $(wildcard $(DESTDIR)$(shell $(APXS) -q SYSCONFDIR 2>/dev/null)/mods-available)

install: $(if $(and $(wildcard $(OUT)/mod_lims.so),$(wildcard $(OUT)/limsctl.8),$(wildcard $(OUT)/lims-print)),,all)
	install -d $(folders)
	install -m 644 $(OUT)/mod_lims.so $(DESTDIR)$(libexecdir)/mod_lims.so
	install -m 755 $(OUT)/limsctl $(DESTDIR)$(sbindir)/limsctl
	install -m 755 $(OUT)/lims-print $(DESTDIR)$(libdir)/mod_lims/lims-print
	install -m 644 $(OUT)/limsctl.8 $(DESTDIR)$(mandir)/man8/limsctl.8
	install -m 644 $(filter-out conf/limsctl.conf,$(wildcard conf/*.conf conf/*.yml)) sql/roles.sql $(share)/
	sed 's|/usr/lib/apache2/modules|$(libexecdir)|' conf/lims.load > $(share)/lims.load
	install -m 644 $(wildcard conf/fail2ban/*) $(share)/fail2ban/
	install -m 755 $(filter-out %.md,$(wildcard conf/receivers/*)) $(share)/receivers/
	install -m 644 conf/receivers/README.md $(share)/receivers/
	install -m 644 $(wildcard conf/profiles/*) $(share)/profiles/
	install -m 644 README.md CHANGES LICENSE modules/MESSAGES.md $(wildcard conf/*.md) $(DESTDIR)$(docdir)/
	$(if $(wildcard $(PAGES)/index.html),build/place-pages $(PAGES) $(share)/application)
	test -d $(DESTDIR)$(sysconfdir)/mod_lims || install -d -m 750 $(DESTDIR)$(sysconfdir)/mod_lims
	test -e $(DESTDIR)$(sysconfdir)/mod_lims/limsctl.conf \
	    || install -m 640 conf/limsctl.conf $(DESTDIR)$(sysconfdir)/mod_lims/limsctl.conf
	$(if $(mods_available),install -m 644 $(share)/lims.load $(mods_available)/lims.load)

# A module that is still enabled would be missing at httpd's next start, and no site of it
# would answer.
uninstall:
	@for at in $(mods_available:available=enabled)/lims.load; do \
	    test ! -L "$$at" || { echo "$$at: first a2dissite lims, a2dismod lims, apachectl graceful" >&2; \
	        exit 1; }; \
	done
	rm -f $(DESTDIR)$(libexecdir)/mod_lims.so $(DESTDIR)$(sbindir)/limsctl \
	    $(DESTDIR)$(mandir)/man8/limsctl.8 $(if $(mods_available),$(mods_available)/lims.load)
	rm -rf $(share) $(DESTDIR)$(docdir) $(DESTDIR)$(libdir)/mod_lims

# --- Housekeeping ------------------------------------------------------------

FORMATTED = $(SOURCES) $(wildcard modules/*.h modules/*/*.h t/*/*.[ch])

format:
	@clang-format -i $(FORMATTED)

format-check:
	@clang-format --dry-run --Werror $(FORMATTED)

clean:
	@test ! -d build/run || build/instance stop build/run
	@test ! -d build/test || build/instance remove build/test
	@rm -rf build/out build/asan build/tsan build/valgrind build/fuzz build/apr build/clients

distclean: clean
	@test ! -d build/run || build/instance remove build/run
	@test ! -d build/bench-out/cluster || build/instance remove build/bench-out/cluster
	@test ! -d build/bench-out/lists || build/instance remove build/bench-out/lists
	@rm -rf build/bench-out
