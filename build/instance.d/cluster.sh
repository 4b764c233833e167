# SPDX-License-Identifier: Apache-2.0
#
# The PostgreSQL cluster of an instance, read by build/instance. It listens on a
# socket only, below $home or, where that path is too long, in /var/tmp.

as_pg() {
    if test -n "$pg_user"; then
        (cd / && setpriv --reuid="$pg_user" --regid="$(id -g "$pg_user")" --init-groups "$@")
    else
        "$@"
    fi
}

# A socket's path may have 107 bytes.
find_socket() {
    if test -f "$home/socket"; then
        socket=$(cat "$home/socket")
    elif test "$(printf '%s' "$home/pg/.s.PGSQL.5432.lock" | wc -c)" -le 100; then
        socket=$home/pg
    else
        socket=$(mktemp -d /var/tmp/lims-pg.XXXXXX)
        chmod 755 "$socket"
        test -z "$pg_user" || chown "$pg_user" "$socket"
        echo "$socket" > "$home/socket"
    fi
}

find_pg() {
    pgbin=$(pg_config --bindir 2> /dev/null || true)
    if ! test -x "$pgbin/initdb"; then
        for pgbin in /usr/lib/postgresql/*/bin; do :; done
    fi
    test -x "$pgbin/initdb" || fail "PostgreSQL's server is not installed: make prerequisites"
}

cluster_runs() {
    test -d "$home/pg/data" && as_pg "$pgbin/pg_ctl" -D "$home/pg/data" status > /dev/null
}

write_pg_conf() { # write_pg_conf SAFE: yes keeps data over a crash of the machine
    cat << END
# Written by build/instance.
listen_addresses = ''
unix_socket_directories = '$(printf '%s' "$socket" | sed "s/'/''/g")'
max_connections = 200
shared_buffers = 64MB
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] %u@%d '
END
    if test "$1" != yes; then
        printf 'fsync = off\nsynchronous_commit = off\nfull_page_writes = off\n'
        printf 'max_wal_size = 256MB\n'
    fi
}

make_cluster() {
    mkdir -p "$home/pg"
    test -z "$pg_user" || chown "$pg_user" "$home/pg"
    # A cluster half made by an interrupted start has no lims.conf.
    test ! -d "$home/pg/data" || rm -rf "$home/pg/data"
    as_pg "$pgbin/initdb" -D "$home/pg/data" -U postgres -E UTF8 --locale=C.UTF-8 \
        --auth=peer --no-sync > "$home/log/initdb.log" 2>&1 ||
        fail "initdb failed: $(tail -n 5 "$home/log/initdb.log")"
    echo "local all all peer map=lims" | write_as_pg "$home/pg/data/pg_hba.conf"
    {
        for role in postgres lims_owner lims_app; do
            echo "lims \"$me\" $role"
        done
        test -z "$httpd_user" || echo "lims \"$httpd_user\" lims_app"
    } | write_as_pg "$home/pg/data/pg_ident.conf"
    # Last, because it says that all is there.
    echo "include 'lims.conf'" | as_pg tee -a "$home/pg/data/postgresql.conf" > /dev/null
    echo | write_as_pg "$home/pg/data/lims.conf"
}

write_as_pg() {
    as_pg tee "$1" > /dev/null
}

start_cluster() { # start_cluster SAFE
    find_pg
    find_socket
    cluster_runs && return 0
    test -f "$home/pg/data/lims.conf" || make_cluster
    write_pg_conf "$1" | write_as_pg "$home/pg/data/lims.conf"
    # The lock of the caller must not be the server's too.
    as_pg "$pgbin/pg_ctl" -D "$home/pg/data" -l "$home/pg/log" -w -t 60 start \
        > /dev/null 9>&- || fail "PostgreSQL did not start: $(as_pg tail -n 5 "$home/pg/log")"
}

stop_cluster() {
    find_pg
    cluster_runs || return 0
    as_pg "$pgbin/pg_ctl" -D "$home/pg/data" -m fast -w -t 60 stop > /dev/null
}

query() { # query DATABASE ROLE PSQL-ARGUMENTS
    query_database=$1
    query_role=$2
    shift 2
    "$pgbin/psql" -X -q -h "$socket" -d "$query_database" -U "$query_role" \
        -v ON_ERROR_STOP=1 "$@"
}

make_database() {
    test -z "$(query postgres postgres -Atc "SELECT 1 FROM pg_database WHERE datname = 'lims'")" ||
        return 0
    query postgres postgres -c "CREATE DATABASE lims"
}
