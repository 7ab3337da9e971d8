/**
 * Puts the firewall and the page monitor in front of a site: as a Jakarta servlet filter, as a
 * handler of Jetty, or as a reverse proxy.
 */
@NullMarked
package dev.holdfast.http.site;

import org.jspecify.annotations.NullMarked;
