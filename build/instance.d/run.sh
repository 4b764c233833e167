# SPDX-License-Identifier: Apache-2.0
#
# `make run`, read by build/instance: cluster and httpd with the demonstration data,
# limsctl against them, and the environment in which requests can be typed.

# A word of the shell.
word() {
    printf "'%s'" "$(printf '%s' "$1" | sed "s/'/'\\\\''/g")"
}

# A copy, so that a later build does not change what runs.
place_module() {
    cmp -s "$out/mod_lims.so" "$home/mod_lims.so" && return 0
    cp "$out/mod_lims.so" "$home/mod_lims.so.new"
    mv "$home/mod_lims.so.new" "$home/mod_lims.so"
    stop_httpd
}

# For children that may not reach the folder where it was built.
place_printer() {
    cp "$out/lims-print" "$home/lims-print.new"
    chmod 755 "$home/lims-print.new"
    mv "$home/lims-print.new" "$home/lims-print"
    printer=$home/lims-print
}

write_ctl() {
    conninfo="host=$(quoted "$socket") dbname=lims user=lims_owner"
    {
        echo '#!/bin/sh'
        echo '# Written by build/instance: limsctl against this instance.'
        echo "LIMS_SECRET_KEY_FILE=$(word "$home/secret.key")"
        echo "LIMS_PRINTER=$(word "$home/lims-print")"
        echo "export LIMS_SECRET_KEY_FILE LIMS_PRINTER"
        echo "exec $(word "$out/limsctl") --database $(word "$conninfo") \"\$@\""
    } > "$home/limsctl"
    chmod 755 "$home/limsctl"
}

# The keys that the demonstration shows once are kept beside the database that
# knows them.
fill_database() {
    status=0
    "$home/limsctl" migrate || status=$?
    test "$status" -ne 5 || fail "the data in $(shorten "$dir") are of another version of" \
        "mod_lims and stay as they are; to remove them: build/instance remove $(shorten "$dir")"
    test "$status" -eq 0 || fail "the migration failed"
    test ! -s "$home/keys" || return 0
    (umask 077 && "$home/limsctl" demo --keys-to "$home/keys") ||
        fail "the demonstration data could not be made"
}

write_env() {
    (
        umask 077
        {
            echo "LIMS_URL=$(word "https://localhost:$port")"
            echo "LIMS_CACERT=$(word "$tls/ca.pem")"
            grep '^LIMS_' "$home/keys" || true
            echo "LIMS_DATABASE=$(word "$conninfo")"
            echo "LIMS_CTL=$(word "$home/limsctl")"
        } > "$dir/env.new"
    )
    chmod 600 "$dir/env.new"
    mv "$dir/env.new" "$dir/env"
}

show_request() {
    . "$dir/env"
    echo "A request and its answer:"
    echo
    echo "  . $(shorten "$dir/env")"
    echo '  curl --cacert "$LIMS_CACERT" -H "Authorization: Bearer $LIMS_API_KEY" "$LIMS_URL/api/v1/whoami"'
    echo
    answer=$(curl -sS --fail-with-body --noproxy '*' --cacert "$LIMS_CACERT" \
        -H "Authorization: Bearer ${LIMS_API_KEY:-}" "$LIMS_URL/api/v1/whoami") || {
        echo "  $answer"
        fail "the service does not answer as it should; see $home/log/error.log"
    }
    echo "  $answer"
    echo
}

shorten() {
    case $1 in
    "$root"/*) echo "${1#"$root"/}" ;;
    *) echo "$1" ;;
    esac
}

run() {
    test -f "$out/mod_lims.so" && test -x "$out/limsctl" || fail "nothing is built: make"
    start_cluster yes
    make_database
    query lims postgres -f "$root/sql/roles.sql"
    tls=$home/tls
    make_certificates
    make_secret_key
    secret_key=$home/secret.key
    place_module
    place_printer
    module_file=$home/mod_lims.so
    pages=$home/application
    database=lims
    wishes="8443 18443"
    write_ctl
    fill_database
    start_httpd
    write_env
    show_request
    if test -f "$home/application/index.html"; then
        echo "Open:    https://localhost:$port/app/ as lena.fischer@cedarbasin.example, who leads"
        echo "         a laboratory, with the password LIMS_DEMO_PASSWORD of $(shorten "$dir/env");"
        echo "         as ben.walsh, who receives samples, mateo.ortiz, analyst, or"
        echo "         grace.okafor, quality assurance, of the same address"
    else
        echo "Open:    the application's pages are not made: see what make said"
    fi
    echo "URL:     https://localhost:$port (certificates of $(shorten "$tls/ca.pem"))"
    echo "Status:  https://localhost:$port/lims/status"
    echo "Logs:    $(shorten "$home/log/error.log"), $(shorten "$home/pg/log")"
    echo "Keys:    $(shorten "$dir/env")"
    echo "Tool:    $(shorten "$home/limsctl")"
    echo "Stop:    make stop"
}
