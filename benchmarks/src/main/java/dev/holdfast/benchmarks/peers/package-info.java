/** What the runtime is compared with: plain files, SQLite, RocksDB and Pekko. */
@NullMarked
package dev.holdfast.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
