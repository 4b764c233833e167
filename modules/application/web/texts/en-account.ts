// SPDX-License-Identifier: Apache-2.0
//
// English: the own account, one-time links, and what is asked at the first sign-in.
export const account = {
    title: 'Sessions and password',
    sessions: 'Where you are signed in',
    noSessions: 'No session goes on.',
    columns: { since: 'Since', used: 'Last use', address: 'Address', browser: 'Browser',
        act: 'Session' },
    here: 'this one',
    noBrowser: 'not named',
    browser: (name: string, version: string, system: string) =>
        system ? `${name} ${version} on ${system}` : `${name} ${version}`,
    end: 'End',
    endOf: (address: string, browser: string) => `End the session from ${address}, ${browser}`,
    ended: 'The session was ended.',
    password: 'Password',
    old: 'Current password',
    fresh: 'New password',
    rule: 'At least 12 characters; a few words that do not belong together are best. Not your'
        + ' address, not the laboratory’s name, none that everybody tries first.',
    change: 'Change the password',
    changed: 'The password was changed; all your other sessions have ended.',
    wrong: (message: string, left: number | undefined) => left === undefined ? message
        : `${message} ${left} more ${left === 1 ? 'try' : 'tries'} before signing is locked.`,
    elsewhere: 'You sign in and sign with the password of your directory: it is changed there.',
    signing: {
        title: 'Signature password',
        what: 'You sign in by your laboratory’s sign-on, and sign with this password, which opens'
            + ' nothing. The first one is set within five minutes of signing in.',
        old: 'Signature password of now, if you have one',
        act: 'Set the signature password',
        set: 'The signature password is set.',
    },
    link: {
        title: 'Set your password',
        act: 'Set the password',
        help: 'The link works once. Setting a password ends all your sessions.',
        done: (email: string) => `The password of ${email} is set.`,
        signIn: 'Sign in',
        none: 'This address has no one-time link in it: open the whole link that you were given.',
    },
    statement: {
        title: 'Before you begin',
        text: 'What you sign here with your password binds you as your signature by hand does.'
            + ' You are held accountable for everything that is done under it: keep your password'
            + ' to yourself, and sign only what you have seen.',
        accept: 'I accept this',
        recorded: 'Your acceptance is recorded with its time.',
    },
    signOn: {
        title: 'Single sign-on',
        found: (name: string) => `Your laboratory’s sign-on knows you as ${name}.`,
        as: (person: string, laboratory: string) => `Sign in as ${person}, ${laboratory}`,
        unknown: (name: string) => `Nobody here is known as ${name}: whoever manages users`
            + ' gives this identity to your account.',
        go: 'Sign in by single sign-on',
    },
    connection: {
        offline: 'The service cannot be reached. What you typed is kept; it is tried again.',
        busy: 'The service cannot answer now. What you typed is kept; it is tried again.',
    },
    byLink: {
        title: 'Your password was set by a link',
        at: 'A one-time link set your password',
        text: 'If that was not you, tell whoever manages users at once.',
        goOn: 'It was me: go on',
    },
};
