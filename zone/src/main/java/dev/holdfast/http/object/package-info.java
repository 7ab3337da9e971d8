/**
 * What the objects behind the API have in common: a zone's profile and plan, the accounts with
 * their credentials and zones, pages of lists, and refusals.
 */
@NullMarked
package dev.holdfast.http.object;

import org.jspecify.annotations.NullMarked;
