#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# receive.cgi - a receiver of webhooks as a CGI script. The server's
# configuration sets WEBHOOK_SECRET. (While openssl runs, who lists the
# processes of this machine sees the secret.)

answer() { printf 'Status: %s\r\nContent-Length: 0\r\n\r\n' "$1"; exit; }

body=$(mktemp) && trap 'rm -f "$body"' EXIT && cat > "$body" || answer 500
time=$HTTP_X_SERVICE_TIMESTAMP
case $time in '' | *[!0-9]* | ???????????*) answer 401 ;; esac

made=sha256=$({ printf '%s.' "$time"; cat "$body"; } |
    openssl dgst -sha256 -hmac "${WEBHOOK_SECRET:?}" -r | cut -d ' ' -f 1)
case $made in
"$HTTP_X_SERVICE_SIGNATURE" | "$HTTP_X_SERVICE_SIGNATURE_PREVIOUS") ;;
*) answer 401 ;;
esac
age=$(($(date +%s) - time))
test "$age" -le 300 && test "$age" -ge -300 || answer 401

# Genuine; but an event is an object.
case $(tr -d ' \t\r\n' < "$body" | sed 's/^\(.\).*\(.\)$/\1\2/') in '{}') ;; *) answer 400 ;; esac

# Its id says whether it was here before.
echo "$HTTP_X_SERVICE_DELIVERY $HTTP_X_SERVICE_EVENT $(cat "$body")" >&2
answer 204
