/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A profile and a file. Input that begins with a profile and a NUL is read by
 * that; of any other, the first byte chooses one of the profiles below. Reading
 * ends, gives the same again, and what nothing is against can be written.
 */
#include "profiles/readings.h"

#include "fuzz.h"
#include "kernel/utf8.h"

/* In apostrophes, which become quotes. */
static const char *const built_in[] = {
    "{'code':'long','name':'n','layout':'long','match':{'container':['text','xlsx','xls'],"
    "'headers':['id','test','value']},'columns':{'trackingId':'id','test':'test','value':'value',"
    "'unit':'unit','flag':'flag','dilution':'df','analysedAt':{'header':'at','format':"
    "'dd.MM.yyyy HH:mm'}},'tests':[{'name':'glu','testCode':'GLU','unit':'g/L'},"
    "{'name':'ph','testCode':'PH','unit':''},{'name':'col','testCode':'COL','kind':'text'}],"
    "'numbers':{'group':[',']},'units':{'policy':'convert'},'dilution':{'apply':'multiply',"
    "'notation':'ratio'},'dialect':{'ragged':true}}",
    "{'code':'wide','name':'n','layout':'wide','match':{'container':'text','headers':['id']},"
    "'dialect':{'delimiter':';'},'columns':{'trackingId':{'header':'id','regex':'^(\\\\S+)'}},"
    "'tests':[{'name':'a','testCode':'A'},{'name':'b','testCode':'B'}],"
    "'replicates':{'policy':'mean','count':2},'numbers':{'decimal':',','blank':'skip'},"
    "'rows':{'skip':[{'when':[{'column':'trackingId','matches':'^Mean'}]}]}}",
    "{'code':'grouped','name':'n','layout':'grouped','match':{'container':'text',"
    "'headers':['name','conc']},'columns':{'trackingId':'name','value':'conc',"
    "'test':{'from':'group','regex':'^(.*) Results$'}},'unknownTest':'ignore',"
    "'tests':[{'name':'x','testCode':'X'}]}",
    "{'code':'transposed','name':'n','layout':'transposed','match':{'container':'text',"
    "'headers':['analyte']},'tests':[{'name':'x','testCode':'X'},{'name':'y','testCode':'Y'}]}",
    "{'code':'keyvalue','name':'n','layout':'keyvalue','match':{'container':'text',"
    "'sections':'report'},'dialect':{'delimiter':'none'},'columns':{'trackingId':'id'},"
    "'table':{'block':{'start':'^Sample (.*)$'}},'integrity':{'end':'^End$'},"
    "'tests':[{'name':'x','testCode':'X'}]}",
    "{'code':'matrix','name':'n','layout':'matrix','match':{'container':'text',"
    "'headers':['1','2','3']},'dialect':{'delimiter':'tab'},'table':{'section':'^Results',"
    "'map':{'section':'^Layout'}},'columns':{'trackingId':{'from':'map'},'test':{'text':'od'}},"
    "'qualifiers':{'tokens':[{'text':'ovrflw','meaning':'over','write':'>4'}]},"
    "'tests':[{'name':'od','testCode':'OD'}]}",
    "{'code':'astm','name':'n','layout':'astm','match':{'container':'astm','sender':'.'},"
    "'tests':[{'name':'glu','testCode':'GLU','unit':'mg/dL'}],'unknownTest':'ignore'}",
    "{'code':'hl7','name':'n','layout':'hl7','match':{'container':'hl7','messages':['ORU^R01',"
    "'OUL^R22']},'columns':{'trackingId':'SPM-2.1'},'tests':[{'name':'GLU','testCode':'GLU'}]}",
    "{'code':'xml','name':'n','layout':'xml','match':{'container':'xml','root':'F'},"
    "'table':{'element':'/F/S'},'columns':{'trackingId':'@id','unit':'/F/U'},"
    "'tests':[{'name':'C','testCode':'C','unit':'g/L'},{'name':'P/V','testCode':'V'}]}",
    "{'code':'fixed','name':'n','layout':'wide','match':{'container':'text','lines':["
    "{'regex':'Report'}]},'dialect':{'delimiter':'none','columns':[1,8,16],'comment':'#'},"
    "'columns':{'trackingId':{'index':1}},'integrity':{'hash':{'regex':'^CRC (\\\\w+)',"
    "'algorithm':'crc32'},'count':{'key':'rows'}},"
    "'tests':[{'name':'x','testCode':'X','columns':{'value':{'index':2}}}]}",
    "{'code':'json','name':'n','layout':'json','match':{'container':'json','root':'r'},"
    "'table':{'element':'/r'},'columns':{'trackingId':'../id','unit':'*/u'},"
    "'tests':[{'name':'C','testCode':'C','unit':'g/L'},{'name':'P/V','testCode':'V'}]}",
};

static const lims_profile_t *profile_of(const char *text, apr_pool_t *pool)
{
    const lims_profile_t *profile = NULL;
    char *json = apr_pstrdup(pool, text);

    for (char *c = json; *c != '\0'; c++) {
        *c = *c == '\'' ? '"' : *c;
    }
    must(!lims_profile_parse(&profile, json, strlen(json), pool), "a built-in one is right");
    return profile;
}

static void must_be_text(const char *text)
{
    must(!text || lims_utf8_valid(text, strlen(text)), "what is read is UTF-8");
}

static void check_reading(const lims_reading_t *reading, bool importable)
{
    must(reading->row >= 0 && reading->column >= 0, "a place");
    must(reading->raw, "what stands there");
    must_be_text(reading->raw);
    must_be_text(reading->result);
    must_be_text(reading->tracking_id);
    must_be_text(reading->unit);
    must_be_text(reading->qualifier);
    must_be_text(reading->comment);
    if (importable) {
        must(reading->test_code && reading->result, "a test and its result");
        must(reading->result[0] != '\0', "the result of a reading is not blank");
        must(reading->tracking_id || reading->control, "of a sample");
    }
}

static void check(const lims_readings_t *out)
{
    bool importable = out->reasons->blocking == 0;

    must(out->reasons->list->nelts <= LIMS_FILE_REASONS_MAX, "reasons are bounded");
    must(!importable || out->readings->nelts > 0, "readings, or why not");
    must(out->counts.results + out->counts.controls == out->readings->nelts,
         "readings are counted");
    must(out->profile || out->readings->nelts == 0, "a profile reads");
    for (int i = 0; i < out->readings->nelts; i++) {
        check_reading(&APR_ARRAY_IDX(out->readings, i, lims_reading_t), importable);
    }
    for (int i = 0; i < out->reasons->list->nelts; i++) {
        const lims_reason_t *reason = &APR_ARRAY_IDX(out->reasons->list, i, lims_reason_t);

        must(reason->message && reason->row >= 0 && reason->column >= 0, "words, a place");
        must_be_text(reason->message);
        must_be_text(reason->cell);
        must_be_text(reason->expected);
    }
}

static void read_twice(const char *bytes, apr_size_t length, const lims_profile_t *profile,
                       apr_pool_t *pool)
{
    apr_array_header_t *profiles = apr_array_make(pool, 1, sizeof(const lims_profile_t *));
    lims_readings_t *out = lims_file_read_with(bytes, length, "file", profile, pool);
    lims_readings_t *matched;

    check(out);
    APR_ARRAY_PUSH(profiles, const lims_profile_t *) = profile;
    matched = lims_file_read(bytes, length, "file", profiles, NULL, pool);
    check(matched);
    if (matched->profile && !lims_matcher_exhausted(matched->matcher) &&
        !lims_matcher_exhausted(out->matcher)) {
        must(matched->reasons->count == out->reasons->count, "the same reasons");
        must(matched->readings->nelts == out->readings->nelts, "the same readings");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    apr_pool_t *pool = fuzz_pool();
    const char *bytes = apr_pmemdup(pool, data, size);
    const char *end = size > 0 && bytes[0] == '{' ? memchr(bytes, '\0', size) : NULL;
    const lims_profile_t *profile = NULL;

    if (end) {
        apr_size_t length = (apr_size_t)(end - bytes);

        if (!lims_profile_parse(&profile, bytes, length, pool)) {
            read_twice(end + 1, size - length - 1, profile, pool);
        }
    } else if (size > 0) {
        profile = profile_of(built_in[data[0] % LIMS_LENGTH(built_in)], pool);
        read_twice(bytes + 1, size - 1, profile, pool);
    }
    apr_pool_destroy(pool);
    return 0;
}
