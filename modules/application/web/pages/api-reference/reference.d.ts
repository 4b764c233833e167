// SPDX-License-Identifier: Apache-2.0
//
// The API's OpenAPI document, which the build puts into the page (build.mjs).
declare module '#reference' {
    const openapi: object;
    export default openapi;
}
