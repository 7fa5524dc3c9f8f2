/** Where plugins take part, in the order in which a pod passes. */
export const extensionPoints = [
  'PreEnqueue',
  'QueueSort',
  'PreFilter',
  'Filter',
  'PostFilter',
  'PreScore',
  'Score',
  'NormalizeScore',
  'Reserve',
  'Permit',
  'PreBind',
  'Bind',
  'PostBind',
] as const;

export type ExtensionPoint = (typeof extensionPoints)[number];
