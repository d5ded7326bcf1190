import { mean as compensatedMean } from 'simple-statistics'
import type { SortedSamples } from './quantiles.ts'

/** Arithmetic mean, by compensated (Kahan–Babuška) summation. Sorted input makes it the same for every order of arrival. */
export function mean(sorted: SortedSamples): number {
  return compensatedMean(sorted)
}
