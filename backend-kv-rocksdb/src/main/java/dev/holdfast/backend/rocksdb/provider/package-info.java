/** How a runtime finds this backend. */
@NullMarked
package dev.holdfast.backend.rocksdb.provider;

import org.jspecify.annotations.NullMarked;
