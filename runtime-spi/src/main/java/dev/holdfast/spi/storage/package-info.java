/** How a runtime finds the storage backends among the dependencies of the application. */
@NullMarked
package dev.holdfast.spi.storage;

import org.jspecify.annotations.NullMarked;
