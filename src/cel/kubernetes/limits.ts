/** What Kubernetes allows expressions to cost and to be. */
export const limits = {
  /** The cost of one evaluation. */
  expressionCost: 1_000_000,
  /** The cost of all rules of one custom resource, or of one policy binding. */
  objectCost: 10_000_000,
  /** The estimated cost of one rule of a CustomResourceDefinition, and of all its rules. */
  ruleEstimate: 10_000_000,
  definitionEstimate: 100_000_000,
  /** The cost of all match conditions of one webhook or policy. */
  matchConditionsCost: 2_500_000,
  /** The bytes of a request; what fits into it bounds everything that has no bound of its own. */
  requestBytes: 3 * 1024 * 1024,
  /** The bytes of a message that an expression yields. */
  messageBytes: 5 * 1024,
  /** The cost of one evaluation of a device selector, and its estimate. */
  deviceSelectorCost: 1_000_000,
  /** The characters of a device selector. */
  deviceSelectorLength: 10 * 1024,
} as const;
