/** Kubernetes' limits on expressions. */
export const limits = {
  /** Cost of one evaluation. */
  expressionCost: 1_000_000,
  /** Cost of all rules of one custom resource, or of one policy binding. */
  objectCost: 10_000_000,
  /** Estimated cost of one rule of a CustomResourceDefinition, and of all its rules. */
  ruleEstimate: 10_000_000,
  definitionEstimate: 100_000_000,
  /** Cost of all match conditions of one webhook or policy. */
  matchConditionsCost: 2_500_000,
  /** Bytes of a request, which bound every value without a declared bound. */
  requestBytes: 3 * 1024 * 1024,
  /** Bytes of a message that an expression yields. */
  messageBytes: 5 * 1024,
  /** Cost of one evaluation of a device selector, actual and estimated. */
  deviceSelectorCost: 1_000_000,
  /** Characters of a device selector. */
  deviceSelectorLength: 10 * 1024,
} as const;
