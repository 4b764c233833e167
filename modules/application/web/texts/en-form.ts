// SPDX-License-Identifier: Apache-2.0
//
// English: the texts of every form.
export const form = {
    title: 'the form',
    copy: 'Copy it',
    copied: 'It is copied.',
    copyByHand: 'The browser does not let this page copy: select it and copy it by hand.',
    onlyOnce: 'It is shown only this once.',
    stored: 'I have stored it',
    discardSecret: 'It is not shown again. Close it without storing it?',
    sample: 'How it is used',
    discard: 'What you typed here is not saved and would be lost. Leave it?',
    notSaved: 'Not saved yet',
    noRecord: 'Nothing is called so.',
    aLineEach: 'One on each line.',
    add: (what: string) => `Add to ${what.toLowerCase()}`,
    remove: (name: string) => `Take ${name} out`,
    earlier: (name: string) => `Move ${name} up`,
    conflict: 'Somebody else changed the same in between.',
    changedElsewhere: 'Somebody else changed something else of this record in between.',
    member: 'Member',
    was: 'It was',
    theirs: 'Theirs',
    mine: 'Mine, not saved',
    keepTheirs: 'Keep theirs',
    replaceByMine: 'Replace theirs by mine',
    saveMine: 'Save mine beside it',
};
