# SPDX-License-Identifier: Apache-2.0
#
# The httpd of an instance with its certificates and keys, read by build/instance.
# Expects the variables socket, database, tls, secret_key, module_file, pages, and wishes:
# the preferred ports.

# The certificates and the keys under which webhook secrets are kept are those of
# the cluster: everybody's who uses it.
make_certificates() {
    "$root/build/certificates" "$home/tls" 9>&-
}

make_secret_key() {
    test -f "$home/secret.key" || "$out/limsctl" secret-key \
        --secret-key-file "$home/secret.key" > /dev/null 9>&- || fail "no key file"
}

# A value inside a libpq connection string.
quoted() {
    case $1 in
    '' | *[!A-Za-z0-9_./-]*) printf "'%s'" "$(printf '%s' "$1" | sed "s/[\\\\']/\\\\&/g")" ;;
    *) printf '%s' "$1" ;;
    esac
}

# A free port: the remembered one, else the first of the wishes that is free,
# else any.
free_port() { # free_port FILE [WISH...]
    if test -s "$1"; then
        cat "$1"
        return 0
    fi
    port_file=$1
    shift
    perl -MSocket -e '
        for my $port (@ARGV, 0) {
            socket my $s, PF_INET, SOCK_STREAM, 0 or exit 1;
            bind $s, sockaddr_in($port, INADDR_LOOPBACK) or next;
            listen $s, 1 or next;
            print +(sockaddr_in(getsockname $s))[0], "\n";
            exit 0;
        }
        exit 1' "$@" > "$port_file" || fail "no free port"
    cat "$port_file"
}

load_modules() {
    modules=$(apxs -q LIBEXECDIR)
    for module in "mpm_${LIMS_MPM:-event}" authn_core authz_core authz_host dbd socache_shmcb ssl mime alias dir rewrite substitute headers reqtimeout; do
        test ! -f "$modules/mod_$module.so" ||
            printf 'LoadModule %s_module "%s/mod_%s.so"\n' "$module" "$modules" "$module"
    done
}

# The application's pages where they were built, for children that may not reach the
# folder of the sources. The first page names all other files by their contents.
place_pages() {
    test -d "$root/build/out/application" || return 0
    (
        flock 8
        cmp -s "$root/build/out/application/index.html" "$pages/index.html" && exit 0
        "$root/build/place-pages" "$root/build/out/application" "$pages"
    ) 8> "$pages.lock" 9>&-
}

# The same service without TLS, from the same file.
plain_host() {
    echo "Define LIMS_PLAIN"
    echo "Define LIMS_PORT $1"
    echo "Include \"$root/conf/lims.conf\""
}

write_httpd_conf() {
    children=${LIMS_CHILDREN:-2}
    cat << END
# Written by build/instance, including $(cat "$root/conf/lims.conf" ${LIMS_EXTRA:+"$LIMS_EXTRA"} | cksum)
ServerRoot "$home"
DefaultRuntimeDir "$home/runtime"
PidFile "$home/httpd.pid"
Mutex "file:$home/runtime" default
ServerName localhost
ServerTokens Prod
TraceEnable off
Listen 127.0.0.1:$port https
$(test -z "$plain_port" || echo "Listen 127.0.0.1:$plain_port http")
$(test -z "$httpd_user" || printf 'User %s\nGroup %s' "$httpd_user" "$(id -gn "$httpd_user")")
$(load_modules)

StartServers $children
ServerLimit $((children * 3))
ThreadsPerChild 32
ThreadLimit 64
MaxRequestWorkers $((children * 32))
MinSpareThreads 1
MaxSpareThreads $((children * 32))
MaxKeepAliveRequests 0
GracefulShutdownTimeout 10

DocumentRoot "$home/www"
<Directory "/">
    Require all denied
</Directory>
<Directory "$home/www">
    Require all granted
</Directory>
ErrorLog "$home/log/error.log"
LogLevel warn
LogFormat "%h %t \"%r\" %>s %B %Dus %{X-Request-Id}o" lims
CustomLog "$home/log/access.log" lims
TypesConfig /dev/null
SSLSessionCache "shmcb:$home/runtime/tls(512000)"

Define LIMS_DATABASE "host=$(quoted "$socket") dbname=$(quoted "$database")"
Define LIMS_SERVER_NAME localhost
Define LIMS_PORT $port
Define LIMS_CERTIFICATE "$tls/server.pem"
Define LIMS_CERTIFICATE_KEY "$tls/server.key"
Define LIMS_SECRET_KEY_FILE "$secret_key"
Define LIMS_OPERATIONS
Define LIMS_PAGES "$pages"
$(test -z "${printer:-}" || printf 'Define LIMS_PRINTER "%s"' "$printer")
Define LIMS_DOCUMENT_ROOT "$home/www"
LoadModule lims_module "$module_file"
$(test -z "${LIMS_EXTRA:-}" || printf 'Include "%s"' "$LIMS_EXTRA")
Include "$root/conf/lims.conf"
$(test -z "$plain_port" || plain_host "$plain_port")
END
}

# The process of this httpd, empty if none runs. A pid file that outlived a
# crash may name anybody's process.
httpd_pid() {
    test -s "$home/httpd.pid" || return 0
    pid=$(cat "$home/httpd.pid")
    tr '\0' '\n' 2> /dev/null < "/proc/$pid/cmdline" | grep -Fxq "$home/httpd.conf" || return 0
    echo "$pid"
}

# Children whose parent was killed serve on, and keep the port: httpd's children
# listen to their parent alone. The file is not grep's argument: it would find itself.
end_orphans() {
    echo "$home/httpd.conf" | grep -lzFxs -f - /proc/[0-9]*/cmdline | tr -cd '0-9\n' |
        xargs -r kill -KILL 2> /dev/null || true
}

sanitizer_options() {
    test -n "${LIMS_PRELOAD:-}${LIMS_VALGRIND:-}" || return 0
    mkdir -p "$home/sanitizer"
    test -z "$httpd_user" || chown "$httpd_user" "$home/sanitizer"
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}log_path=$home/sanitizer/asan
    UBSAN_OPTIONS=${UBSAN_OPTIONS:+$UBSAN_OPTIONS:}log_path=$home/sanitizer/ubsan
    TSAN_OPTIONS=${TSAN_OPTIONS:+$TSAN_OPTIONS:}log_path=$home/sanitizer/tsan
    export ASAN_OPTIONS UBSAN_OPTIONS TSAN_OPTIONS
}

launch() {
    # In the foreground of nothing: so the process is known from the start, and a
    # late failure is seen. With an arena and a cache for each of many threads,
    # glibc would keep in each what only one of them needed at a time.
    setsid env MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-2}" \
        GLIBC_TUNABLES="${GLIBC_TUNABLES:-glibc.malloc.tcache_count=0}" \
        ${LIMS_PRELOAD:+LD_PRELOAD="$LIMS_PRELOAD"} \
        ${LIMS_VALGRIND:+valgrind $LIMS_VALGRIND --log-file="$home/sanitizer/valgrind.%p"} \
        apache2 -d "$home" \
        -f "$home/httpd.conf" -DFOREGROUND > "$home/log/start.log" 2>&1 < /dev/null 9>&- &
    pid=$!
    waited=0
    # Asked with what the shell has in itself: the answer is awaited at every start.
    until { read -r written < "$home/httpd.pid"; } 2> /dev/null && test "$written" = "$pid"; do
        lives "$pid" || return 1
        test "$waited" -lt 3000 || return 1
        waited=$((waited + 1))
        sleep 0.02
    done
}

# Succeeds if the running httpd has the configuration that would be written now; otherwise
# stops it and fails.
is_current() {
    test -n "$(httpd_pid)" || return 1
    port=$(cat "$home/port")
    plain_port=$(cat "$home/plain_port" 2> /dev/null || true)
    write_httpd_conf | cmp -s - "$home/httpd.conf" && return 0
    stop_httpd
    return 1
}

start_httpd() {
    place_pages
    is_current && return 0
    mkdir -p "$home/runtime" "$home/www"
    # For whoever asks whether httpd is there, without asking the service.
    echo ready > "$home/www/ready"
    rm -f "$home/httpd.pid"
    end_orphans
    sanitizer_options
    tries=0
    while :; do
        port=$(free_port "$home/port" $wishes)
        plain_port=
        # Nothing listens on the first port yet, so that it may be found free twice.
        while test "${LIMS_PLAIN:-}" = yes; do
            plain_port=$(free_port "$home/plain_port")
            test "$plain_port" = "$port" || break
            rm -f "$home/plain_port"
        done
        write_httpd_conf > "$home/httpd.conf"
        launch && return 0
        # Another process may have been quicker to take the port. An instance
        # that has had it before keeps asking for it.
        tries=$((tries + 1))
        if test -z "$wishes" && test "$tries" -lt 5 &&
            grep -q "could not bind" "$home/log/start.log"; then
            rm -f "$home/port" "$home/plain_port"
            continue
        fi
        cat "$home/log/start.log" >&2
        test ! -f "$home/log/error.log" || tail -n 20 "$home/log/error.log" >&2
        fail "httpd did not start; see $home/log"
    done
}

# A process that has ended stays in the list until its parent takes notice.
lives() {
    { read -r stat < "/proc/$1/stat"; } 2> /dev/null || return 1
    case ${stat##*) } in
    [ZX]*) return 1 ;;
    esac
}

stop_httpd() {
    pid=$(httpd_pid)
    test -n "$pid" || { end_orphans; return 0; }
    kill -TERM "$pid"
    waited=0
    while lives "$pid"; do
        waited=$((waited + 1))
        if test "$waited" -ge 1000; then
            kill -KILL "$pid"
            fail "httpd $pid had to be killed"
        fi
        sleep 0.02
    done
    rm -f "$home/httpd.pid"
}
