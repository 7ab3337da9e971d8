/** The previous managed rules of a zone and their migration to rulesets. */
@NullMarked
package dev.holdfast.http.internal.migration;

import org.jspecify.annotations.NullMarked;
