/** Peers that run as separate processes and are reached over loopback, and their clients. */
@NullMarked
package dev.holdfast.benchmarks.compare.server;

import org.jspecify.annotations.NullMarked;
