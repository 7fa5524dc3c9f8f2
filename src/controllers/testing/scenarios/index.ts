export { play, playWith, recordedLooks } from './play.ts';
export { type Scenario, type ScenarioTopic, see, type SeenKind } from './scenario-topic.ts';
export { ScenarioWorld, type WorldTime } from './scenario-world.ts';
