// What other folders may use: which requests go first, how many at once, and the objects that say so.
export { PriorityAndFairness, type PriorityAndFairnessOptions } from './priority-and-fairness.ts';
