// SPDX-License-Identifier: Apache-2.0
//
// receive.mjs - verifies deliveries with the library of Standard Webhooks:
//
//     WEBHOOK_SECRET=whsec_... node receive.mjs PORT CERTIFICATE KEY
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const [port, certificate, key] = process.argv.slice(2);

createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, (request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
        try {
            const event = webhook.verify(Buffer.concat(chunks).toString(), request.headers);
            console.log(request.headers["webhook-id"], event.type, JSON.stringify(event.data));
            response.writeHead(204).end();
        } catch (error) {
            console.log("refused:", error.message);
            response.writeHead(401).end();
        }
    });
}).listen(Number(port));
