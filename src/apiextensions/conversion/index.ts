// What the rest of this folder may use: conversion between the versions of a definition.
export { ConversionMetrics } from './conversion-metrics.ts';
export { definitionConversion } from './definition-conversion.ts';
