/** Where our answer is not the real server's, by the name of the case: what we say. */
export const known: Readonly<Record<string, { readonly code: number; readonly message?: string }>> = {
  // An empty list is read like one that was left out.
  'versions: no versions': {
    code: 422,
    message:
      'CustomResourceDefinition.apiextensions.k8s.io "widgets.example.com" is invalid: [spec.versions: Invalid value: null: must have exactly one version marked as storage version, status.storedVersions: Invalid value: null: must have at least one stored version]',
  },
};
