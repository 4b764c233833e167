// SPDX-License-Identifier: Apache-2.0
//
// English: the page on which anybody verifies a certificate.
export const verification = {
    title: 'Verify a certificate',
    code: 'Code, as printed on the certificate',
    act: 'Verify the certificate',
    certificate: 'The certificate',
    valid: 'This certificate is valid.',
    superseded: (version: number, issued: string) =>
        `This certificate is no longer valid: version ${version}, issued ${issued}, replaces it.`,
    number: 'Number',
    version: 'Version',
    laboratory: 'Laboratory',
    issued: 'Issued',
    file: 'Compare a file with the document that was issued',
    fileHelp: 'The file stays on this computer: only its SHA-256 digest is sent.',
    same: (name: string) => `${name} is the document that was issued, byte for byte.`,
    other: (name: string) =>
        `${name} is not the document that was issued: it was changed, or is another one, such as`
        + ' that of a whole order. Compare the certificate\'s own document.',
    noDocument: 'The laboratory keeps no document of this certificate to compare it with.',
};
