// SPDX-License-Identifier: Apache-2.0
//
// A button that opens a menu.
import type { ReactElement, ReactNode } from 'react';
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components';

import { Glyph } from './glyph.tsx';

export interface Item {
    id: string;
    title: string;
    keys?: string | undefined;
    refused?: string | undefined;
    chosen?: boolean;
    // A file that is downloaded; else what is done.
    file?: string;
    run?: () => void;
}

interface Properties {
    label?: string;
    className?: string;
    items: Item[];
    children: ReactNode;
}

export function MenuButton({ label, className, items, children }: Properties): ReactElement {
    return (
        <MenuTrigger>
            <Button className={`btn ${className ?? ''}`} {...(label ? { 'aria-label': label } : {})}>
                {children}<Glyph name="down" />
            </Button>
            <Popover className="popover" offset={2}>
                <Menu className="menu-list" aria-label={label ?? 'Menu'} items={items}
                    disabledKeys={items.filter((item) => item.refused).map((item) => item.id)}
                    onAction={(id) => items.find((item) => item.id === id)?.run?.()}>
                    {(item) => (
                        <MenuItem className="menu-item" id={item.id} textValue={item.title}
                            {...(item.file ? { href: item.file, download: '' } : {})}>
                            <span className="glyph">
                                {item.chosen ? <Glyph name="within" /> : null}
                            </span>
                            <span>
                                {item.title}
                                {item.refused
                                    ? <span className="caption why-not">{item.refused}</span>
                                    : null}
                            </span>
                            {item.keys ? <kbd>{item.keys}</kbd> : null}
                        </MenuItem>
                    )}
                </Menu>
            </Popover>
        </MenuTrigger>
    );
}
