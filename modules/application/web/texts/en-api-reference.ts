// SPDX-License-Identifier: Apache-2.0
//
// English: the API's reference. What it says of operations comes from the service.
export const apiReference = {
    title: 'API reference',
    about: 'About the API',
    contents: 'Operations',
    count: (n: number) => `${n} operations`,
    unknown: (id: string) => `The API has no operation ${id}.`,
    parameters: 'Parameters and header fields',
    body: 'Members of the body',
    answers: 'Answers',
    answer: (status: string) => `Members of answer ${status}`,
    example: 'Example',
    name: 'Name',
    kind: 'Type',
    meaning: 'Meaning',
    required: 'required',
};
