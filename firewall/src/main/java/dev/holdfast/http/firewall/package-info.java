/**
 * Decisions of the firewall: a request to a site, the answer to it, and rulesets that are managed
 * by an application or a third party.
 */
@NullMarked
package dev.holdfast.http.firewall;

import org.jspecify.annotations.NullMarked;
