/** The firewall of a zone: all its parts in one object. */
@NullMarked
package dev.holdfast.http.internal.firewallzone;

import org.jspecify.annotations.NullMarked;
