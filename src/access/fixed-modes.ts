import type { ListingAuthorizer } from '../apiserver/index.ts';

/** The mode AlwaysAllow: everybody may do everything. */
export const alwaysAllow: ListingAuthorizer = {
  name: 'AlwaysAllow',
  authorize: () => ({ verdict: 'allow', reason: '' }),
  rulesFor: () => ({
    resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
    isIncomplete: false,
  }),
};

/** The mode AlwaysDeny: nobody may do anything, unless another mode allows it. */
export const alwaysDeny: ListingAuthorizer = {
  name: 'AlwaysDeny',
  authorize: () => ({ verdict: 'noOpinion', reason: 'Everything is forbidden.' }),
  rulesFor: () => ({ resourceRules: [], nonResourceRules: [], isIncomplete: false }),
};
