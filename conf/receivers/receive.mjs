#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// A receiver of webhooks: WEBHOOK_SECRET=whsec_... node receive.mjs PORT CERTIFICATE KEY
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:https";

const secret = process.env.WEBHOOK_SECRET;
const known = new Set(); // of deliveries; a real receiver keeps them with what it does

// Did the service sign these bytes, within the last five minutes?
function genuine(headers, body) {
    const timestamp = headers["x-service-timestamp"] ?? "";
    const expected = Buffer.from("sha256=" +
        createHmac("sha256", secret).update(timestamp + ".").update(body).digest("hex"));
    const matches = (given = "") => {
        const bytes = Buffer.from(given);
        return bytes.length === expected.length && timingSafeEqual(bytes, expected);
    };
    return (matches(headers["x-service-signature"]) ||
            matches(headers["x-service-signature-previous"])) &&
        /^\d+$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= 300;
}

function take(event) {
    if (!known.has(event.id)) {
        known.add(event.id);
        console.log(event.id, event.type, JSON.stringify(event.data));
    }
}

const [port, certificate, key] = process.argv.slice(2);
createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
        const body = Buffer.concat(chunks);
        let status = 401;
        if (request.method === "POST" && genuine(request.headers, body)) {
            try {
                take(JSON.parse(body));
                status = 204;
            } catch {
                status = 400; // signed, but no JSON
            }
        }
        response.writeHead(status).end();
    });
}).listen(Number(port));
