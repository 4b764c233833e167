#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# send.sh - sends a signed delivery to a receiver, as the service would:
#
#     WEBHOOK_SECRET=whsec_... ./send.sh URL [options of curl]
#
# The body is standard input, or a test event when that is empty or a terminal.

url=${1:?usage: send.sh URL [options of curl]} && shift
id=$(cat /proc/sys/kernel/random/uuid) time=$(date +%s)
body=$(mktemp) && trap 'rm -f "$body"' EXIT || exit 1
test -t 0 || cat > "$body"
if ! test -s "$body"; then
    printf '{"id":"%s","type":"webhook.test","createdAt":"%s","organizationId":1,"data":{"message":"Hello"}}' \
        "$id" "$(date -u +%Y-%m-%dT%H:%M:%S.000Z)" > "$body"
fi
signature=$({ printf '%s.' "$time"; cat "$body"; } |
    openssl dgst -sha256 -hmac "${WEBHOOK_SECRET:?}" -r | cut -d ' ' -f 1)

curl -sS --fail -o /dev/null -w '%{http_code}\n' --data-binary "@$body" \
    -H 'Content-Type: application/json' -H 'User-Agent: mod_lims-webhooks/1.0' \
    -H 'X-Service-Event: webhook.test' -H "X-Service-Delivery: $id" \
    -H "X-Service-Timestamp: $time" -H "X-Service-Signature: sha256=$signature" "$@" "$url"
