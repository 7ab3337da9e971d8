/** The components of records and classes: found by reflection, once for each class. */
@NullMarked
package dev.holdfast.clone.codec.component;

import org.jspecify.annotations.NullMarked;
