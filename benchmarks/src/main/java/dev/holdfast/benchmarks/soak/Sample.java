package dev.holdfast.benchmarks.soak;

/**
 * What was seen at one moment, and of the calls since the one before.
 *
 * @param seconds since the begin of the steady load
 * @param rate calls a second
 * @param p50Micros the median latency of a call
 * @param p99Micros the 99th percentile
 * @param heapMiB what a full collection left
 * @param residentMiB resident memory of the process, without mapped files
 * @param descriptors open file descriptors
 * @param threads platform threads
 * @param files in the data directory
 * @param diskMiB of the data directory
 */
record Sample(
    double seconds,
    double rate,
    double p50Micros,
    double p99Micros,
    double heapMiB,
    double residentMiB,
    double descriptors,
    double threads,
    double files,
    double diskMiB) {}
