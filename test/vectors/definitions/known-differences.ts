/** Where our answer is not the real server's, by the name of the case: what we say. */
export const known: Readonly<Record<string, { readonly code: number; readonly message?: string }>> = {};
