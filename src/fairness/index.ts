// What other folders may use: the order and concurrency of requests, and the objects that configure them.
export { PriorityAndFairness, type PriorityAndFairnessOptions } from './priority-and-fairness.ts';
