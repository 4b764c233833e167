/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protocol.h - what the service and its printer, the program lims-print, say to each other.
 *
 * A job is a frame on the printer's standard input: its length in four bytes (big endian),
 * then one JSON document in UTF-8:
 *
 *   { "kind": "certificate", "draft": false, "content": { ... }, "files": { ... } }
 *   { "kind": "certificates", "draft": false, "contents": [ { ... } ], "files": { ... } }
 *   { "kind": "report", "title": ..., "blocks": [ { "type": "table", ... } ] }
 *   { "kind": "labels", "sheet": { ... }, "skip": 0, "labels": [ { ... } ] }
 *   { "kind": "logo", "file": "base64 of a PNG" }
 *
 * "content" is what lims.certificate_content() made, "files" has the pictures that it names
 * by their SHA-256, in base64. modules/print/README.md describes each kind.
 *
 * The answer is a frame on standard output: one byte, a length in four bytes, and as many
 * bytes. `P` has the document: a PDF; of the kind "logo" the picture as a PNG anew. `E` has a
 * sentence in UTF-8 that says why there is none. The printer goes on with the next job until
 * the end of its input. When it ends in the middle of a frame, or without an answer, it
 * crashed: start another, and count the attempt.
 *
 * One job gives the same bytes on every machine with the same fonts and libraries.
 */
#ifndef LIMS_PRINT_PROTOCOL_H
#define LIMS_PRINT_PROTOCOL_H

/* Most bytes of a job, and of what is answered. */
#define LIMS_PRINT_JOB_MAX (16 * 1024 * 1024)
#define LIMS_PRINT_ANSWER_MAX (64 * 1024 * 1024)

/* Bytes of the head of a job (a length) and of an answer (its kind, a length). */
#define LIMS_PRINT_JOB_HEAD 4
#define LIMS_PRINT_ANSWER_HEAD 5

/* Kinds of answers. */
#define LIMS_PRINT_DOCUMENT 'P'
#define LIMS_PRINT_REFUSAL 'E'

#endif /* LIMS_PRINT_PROTOCOL_H */
