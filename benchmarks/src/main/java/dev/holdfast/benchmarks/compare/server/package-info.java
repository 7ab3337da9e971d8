/** Peers that run as processes of their own and are reached over loopback, and their clients. */
@NullMarked
package dev.holdfast.benchmarks.compare.server;

import org.jspecify.annotations.NullMarked;
