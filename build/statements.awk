# SPDX-License-Identifier: Apache-2.0
#
# statements.awk - compiles the named statements of modules/*/*.sql into C.
#
#     awk -v header=OUT.h -v source=OUT.c -f statements.awk FILE.sql ...
#
# A file is a sequence of blocks:
#
#     -- name: sample_get one
#     -- Comments, as many as needed; they are left out of the table.
#     SELECT ... FROM lims.sample
#      WHERE organization_id = :$organization::bigint AND id = :id::bigint
#
# `one`, `many` or `exec` is the row contract. `custom` behind it has the
# statement planned for the values of each call, for a search whose filters may
# be absent, where a generic plan would be the wrong one.
#
# `list` has a page in order of id compiled twice: as it is written, from the oldest
# on ("id > :cursor::bigint", "ORDER BY id"), and as <label>_newest, from the newest
# on, with the cursor as the id before which to read (0: the end). A list in another
# order has its <label>_newest written by hand. Either becomes .newest of the first.
#
# A block that begins with "-- part: <name>" is no statement but text that several of its
# file share: a line ":{<name>}" of theirs stands for it.
#
# :name is a validated field of the request, :?name whether it was given, and
# :$name comes from the request's context, where no client can reach it. Each
# distinct one becomes a number $1 ... $n. Quoted text, quoted identifiers and
# comments are left alone, and so are `::` casts and array slices.
#
# The names of the context are listed here alone. They become the enum
# lims_context_e, so that binding them is a switch that the compiler holds complete
# (modules/database/run.c).
#
# Everything doubtful is refused here, when it can still be put right: labels
# that are not unique or no C identifier, SQL outside a block, two statements in
# one block, context that does not exist, and a statement that does not name the
# organization unless a line `-- global: <why>` says why it need not.
#
# Runs under mawk: no intervals in regular expressions, no gensub.

BEGIN {
    contexts = split("organization key user session request reason signature printer verification", context)
    for (i = 1; i <= contexts; i++) {
        is_context[context[i]] = 1
    }
    contract["one"] = "LIMS_ROWS_ONE"
    contract["many"] = "LIMS_ROWS_MANY"
    contract["exec"] = "LIMS_ROWS_NONE"
    kind_name[""] = "LIMS_P_VALUE"
    kind_name["?"] = "LIMS_P_GIVEN"
    kind_name["$"] = "LIMS_P_CONTEXT"
    QUOTE = sprintf("%c", 39)
    PARAMETERS_MAX = 64
    statements = 0
    problems = 0
}

FNR == 1 {
    finish()
    short = FILENAME
    sub(/.*\//, "", short)
}

/^-- name:/ {
    finish()
    start()
    next
}

/^-- part:/ {
    finish()
    part = $3
    open = 1
    text = ""
    next
}

/^-- global:/ && open {
    if ($0 ~ /^-- global: *[^ ]/) {
        global = 1
    } else {
        refuse(FNR, "global without a reason")
    }
}

!open {
    if ($0 !~ /^[ \t\r]*(--.*)?$/) {
        refuse(FNR, "SQL outside a \"-- name:\" block")
    }
    next
}

open && !part && /^ *:\{[a-z_]+\}$/ {
    shared = $0
    gsub(/[ :{}]/, "", shared)
    if (!((short, shared) in text_of)) {
        refuse(FNR, "there is no part \"" shared "\"")
    }
    text = text text_of[short, shared]
    next
}

{
    text = text $0 "\n"
}

END {
    finish()
    if (problems) {
        exit 1
    }
    write_header()
    write_source()
}

function refuse(line, message) {
    printf "%s:%d: %s\n", FILENAME ? current_file() : "statements", line, message > "/dev/stderr"
    problems++
}

# A block is finished when the next file has begun already.
function current_file() {
    return block_file != "" && open ? block_file : FILENAME
}

function start(    fields, count, i) {
    count = split($0, fields, /[ \t\r]+/)
    open = 1
    global = 0
    text = ""
    block_file = FILENAME
    block_line = FNR
    block_origin = short ":" FNR
    label = fields[3]
    rows = fields[4]
    custom = 0
    list = 0
    if (label !~ /^[a-z][a-z0-9_]*$/ || length(label) > 60) {
        refuse(FNR, "bad label \"" label "\"")
    } else if (label == "none" || label == "count") {
        refuse(FNR, "the label \"" label "\" is taken")
    } else if (label in where) {
        refuse(FNR, "label \"" label "\" is taken by " where[label])
    }
    where[label] = block_origin
    if (!(rows in contract)) {
        refuse(FNR, "\"" label "\": one, many or exec")
    }
    for (i = 5; i <= count; i++) {
        if (fields[i] == "custom") {
            custom = 1
        } else if (fields[i] == "list") {
            list = 1
        } else if (fields[i] != "") {
            refuse(FNR, "\"" label "\": \"" fields[i] "\" means nothing here")
        }
    }
}

function finish() {
    if (!open) {
        return
    }
    if (part) {
        text_of[short, part] = text
        part = ""
        open = 0
        return
    }
    compile(text)
    if (list) {
        label = label "_newest"
        if (label in where) {
            refuse(block_line, "label \"" label "\" is taken by " where[label])
        }
        where[label] = block_origin
        compile(from_the_newest(text))
    }
    open = 0
}

# The text of a page in order of id, turned around.
function from_the_newest(page,    lines, count, i, turned, out) {
    # CASE, since NULLIF would keep the condition from the index under row-level security.
    turned = gsub(/ > :cursor::bigint/,
        " < CASE :cursor::bigint WHEN 0 THEN 9223372036854775807 ELSE :cursor::bigint END", page)
    count = split(page, lines, /\n/)
    out = ""
    for (i = 1; i <= count; i++) {
        if (lines[i] ~ /ORDER BY ([a-z]+\.)?("[A-Za-z]+"|id)$/) {
            lines[i] = lines[i] " DESC"
            turned += 100
        }
        out = out lines[i] (i < count ? "\n" : "")
    }
    if (turned < 101 || turned % 100 == 0) {
        refuse(block_line, "\"" label "\" is no page in order of id: it needs id > :cursor::bigint and ORDER BY id")
    }
    return out
}

function compile(statement,    sql) {
    parameters = 0
    names_organization = 0
    split("", number)
    sql = translate(statement)
    gsub(/[ \t]+\n/, "\n", sql)
    gsub(/\n\n+/, "\n", sql)
    sub(/^[ \t\n]+/, "", sql)
    sub(/[ \t\n]+$/, "", sql)
    if (sub(/;$/, "", sql)) {
        sub(/[ \t\n]+$/, "", sql)
    }
    if (sql == "") {
        refuse(block_line, "\"" label "\" has no SQL")
    }
    if (!global && !names_organization) {
        refuse(block_line, "\"" label "\" does not name :$organization; if it need not, say why in a line \"-- global: ...\"")
    }
    if (parameters > PARAMETERS_MAX) {
        refuse(block_line, "\"" label "\" has more than " PARAMETERS_MAX " parameters")
    }
    keep(sql)
}

function keep(sql,    i) {
    statements++
    label_of[statements] = label
    sql_of[statements] = sql
    rows_of[statements] = contract[rows]
    custom_of[statements] = custom
    count_of[statements] = parameters
    origin_of[statements] = block_origin
    for (i = 1; i <= parameters; i++) {
        parameter_of[statements, i] = parameter[i]
    }
}

# Walks over the SQL once; `rest` is what is still to be read.
function translate(sql,    out, rest, c, piece) {
    rest = sql
    out = ""
    brackets = 0
    ended = 0
    while (rest != "") {
        # What can't begin anything special, in one go.
        if (match(rest, /^[^-\/:$;'"\[\]EeUu]+/) || match(rest, /^[EeUu]+[^-\/:$;'"\[\]EeUu&]/)) {
            out = out take(rest)
            rest = substr(rest, RLENGTH + 1)
            continue
        }
        c = substr(rest, 1, 1)
        if (substr(rest, 1, 2) == "--") {
            piece = index(rest, "\n")
            rest = piece ? substr(rest, piece) : ""
            continue
        }
        if (substr(rest, 1, 2) == "/*") {
            piece = index(rest, "*/")
            if (!piece) {
                refuse(block_line, "\"" label "\": comment without an end")
                return out
            }
            rest = " " substr(rest, piece + 2)
            continue
        }
        piece = quoted(rest)
        if (piece != "") {
            out = out take_text(piece)
            rest = substr(rest, length(piece) + 1)
            continue
        }
        if (c == ":") {
            piece = colon(rest, out)
            out = out colon_text
            rest = substr(rest, length(piece) + 1)
            continue
        }
        if (c == ";") {
            ended = 1
        } else {
            if (c == "[") {
                brackets++
            } else if (c == "]") {
                brackets--
            } else if (c == "$" && rest ~ /^\$[0-9]/) {
                refuse(block_line, "\"" label "\": a numbered parameter; name it")
            }
            take_text(c)
        }
        out = out c
        rest = substr(rest, 2)
    }
    return out
}

function take(rest) {
    return take_text(substr(rest, 1, RLENGTH))
}

function take_text(piece) {
    if (ended == 1 && piece ~ /[^ \t\r\n]/) {
        refuse(block_line, "\"" label "\": more than one statement")
        ended = 2
    }
    return piece
}

# The quoted text, quoted identifier or dollar-quoted text that `rest` begins
# with, or "". E'...' and U&'...' are looked at with their prefix, because a
# backslash is special in the first.
function quoted(rest,    tag, at, c, i, escaping) {
    if (match(rest, /^\$[A-Za-z_]*\$/)) {
        tag = substr(rest, 1, RLENGTH)
        at = index(substr(rest, RLENGTH + 1), tag)
        if (at) {
            return substr(rest, 1, 2 * length(tag) + at - 1)
        }
        refuse(block_line, "\"" label "\": quoted text without an end")
        return rest
    }
    i = 1
    escaping = 0
    if (substr(rest, 1, 2) ~ /^[Ee]'$/) {
        escaping = 1
        i = 2
    }
    c = substr(rest, i, 1)
    if (c != QUOTE && c != "\"") {
        return ""
    }
    for (at = i + 1; at <= length(rest); at++) {
        if (escaping && substr(rest, at, 1) == "\\") {
            at++
        } else if (substr(rest, at, 1) == c) {
            if (substr(rest, at + 1, 1) == c) {
                at++
            } else {
                return substr(rest, 1, at)
            }
        }
    }
    refuse(block_line, "\"" label "\": quoted text without an end")
    return rest
}

# What a colon begins; the text it becomes is left in colon_text.
function colon(rest, out,    piece, kind, name, before) {
    piece = substr(rest, 1, 2)
    if (piece == "::" || piece == ":=") {
        return colon_text = piece
    }
    before = out
    sub(/[ \t\r\n]+$/, "", before)
    before = substr(before, length(before))
    if (brackets > 0 && before ~ /[A-Za-z0-9_)"\]]/) {
        return colon_text = ":" # a slice: [low:high]
    }
    if (brackets > 0 && before == "[" && rest !~ /^:[?$A-Za-z_]/) {
        return colon_text = ":" # a slice without a lower bound
    }
    if (!match(rest, /^:[?$]?[A-Za-z_][A-Za-z0-9_]*/)) {
        refuse(block_line, "\"" label "\": a colon that is neither a parameter nor a cast")
        return colon_text = ":"
    }
    piece = substr(rest, 1, RLENGTH)
    kind = substr(piece, 2, 1)
    if (kind != "?" && kind != "$") {
        kind = ""
    }
    name = substr(piece, 2 + length(kind))
    if (kind == "$" && !(name in is_context)) {
        refuse(block_line, "\"" label "\": there is no context \"" name "\"")
    }
    if (kind == "$" && name == "organization") {
        names_organization = 1
    }
    if (!((kind, name) in number)) {
        number[kind, name] = ++parameters
        parameter[parameters] = "{ .kind = " kind_name[kind] ", .name = \"" name "\"" \
            (kind == "$" ? ", .context = " context_name(name) : "") " }"
    }
    take_text(piece)
    colon_text = "$" number[kind, name]
    return piece
}

function context_name(name) {
    return "LIMS_CONTEXT_" toupper(name)
}

# A C string literal, a line of SQL on a line of C.
function literal(sql,    lines, count, i, out) {
    # By hand: awks differ on what a backslash in a replacement means.
    count = split(sql, lines, /\\/)
    sql = lines[1]
    for (i = 2; i <= count; i++) {
        sql = sql "\\" "\\" lines[i]
    }
    gsub(/"/, "\\\"", sql)
    gsub(/\?/, "\\?", sql) # -std=c11 knows trigraphs
    gsub(/\t/, "\\t", sql)
    gsub(/\r/, "", sql)
    count = split(sql, lines, /\n/)
    out = ""
    for (i = 1; i <= count; i++) {
        out = out "\n        \"" lines[i] (i < count ? "\\n" : "") "\""
    }
    return out
}

function write_header(    i) {
    print "/* SPDX-License-Identifier: Apache-2.0 */" > header
    print "/* Generated by build/statements.awk: the names of the SQL statements and of their context. */" > header
    print "#ifndef LIMS_STATEMENTS_H" > header
    print "#define LIMS_STATEMENTS_H\n" > header
    print "typedef enum {" > header
    print "    LIMS_STMT_NONE = 0," > header
    for (i = 1; i <= statements; i++) {
        print "    LIMS_STMT_" toupper(label_of[i]) "," > header
    }
    print "    LIMS_STMT_COUNT" > header
    print "} lims_stmt_e;\n" > header
    print "/* What a statement may ask of a request's context. */" > header
    print "typedef enum {" > header
    for (i = 1; i <= contexts; i++) {
        print "    " context_name(context[i]) "," > header
    }
    print "    LIMS_CONTEXT_COUNT" > header
    print "} lims_context_e;\n" > header
    print "#endif /* LIMS_STATEMENTS_H */" > header
}

function write_source(    i, j) {
    print "/* SPDX-License-Identifier: Apache-2.0 */" > source
    print "/* Generated by build/statements.awk: the SQL statements. */" > source
    print "#include \"kernel/statement.h\"\n" > source
    for (i = 1; i <= statements; i++) {
        if (count_of[i]) {
            print "static const lims_parameter_t " label_of[i] "_parameters[] = {" > source
            for (j = 1; j <= count_of[i]; j++) {
                print "    " parameter_of[i, j] "," > source
            }
            print "};\n" > source
        }
    }
    print "const lims_statement_t lims_statements[LIMS_STMT_COUNT] = {" > source
    print "    [LIMS_STMT_NONE] = { .label = \"none\", .sql = \"\", .rows = LIMS_ROWS_NONE, .origin = \"\" }," > source
    for (i = 1; i <= statements; i++) {
        print "    [LIMS_STMT_" toupper(label_of[i]) "] = {" > source
        print "        .label = \"" label_of[i] "\"," > source
        print "        .sql =" literal(sql_of[i]) "," > source
        print "        .rows = " rows_of[i] "," > source
        if (custom_of[i]) {
            print "        .custom = true," > source
        }
        if ((label_of[i] "_newest") in where) {
            print "        .newest = LIMS_STMT_" toupper(label_of[i]) "_NEWEST," > source
        }
        if (count_of[i]) {
            print "        .count = " count_of[i] "," > source
            print "        .parameters = " label_of[i] "_parameters," > source
        }
        print "        .origin = \"" origin_of[i] "\"," > source
        print "    }," > source
    }
    print "};" > source
}
