/** The pages of what flows through a runtime: alarms, events, the archive and backups. */
@NullMarked
package dev.holdfast.console.flow;

import org.jspecify.annotations.NullMarked;
