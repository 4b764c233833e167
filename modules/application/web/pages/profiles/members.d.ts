// SPDX-License-Identifier: Apache-2.0
//
// The manual's reference of the members of profiles, which the build puts into the page (build.mjs).
declare module '#profile-members' {
    const manual: string;
    export default manual;
}
